import Foundation

/// A journey as the program's inner parts know it: a value, whatever it is kept in.
struct Trip: Identifiable, Hashable, Sendable {
  /// The API's name for it.
  let id: String
  var name: String
  /// Its first day.
  var startDate: Date
  /// Its last day.
  var endDate: Date
  /// The ways from place to place, in the order of travel.
  var legs: [Leg] = []
  /// Who comes along.
  var people: [String] = []
  /// Words that it is found by.
  var tags: [String] = []
}

/// One way from a place to another.
struct Leg: Identifiable, Hashable, Sendable {
  let id: UUID
  var origin: String
  var destination: String
  var means: TravelMeans

  init(id: UUID = UUID(), origin: String, destination: String, means: TravelMeans) {
    self.id = id
    self.origin = origin
    self.destination = destination
    self.means = means
  }
}

/// What one travels by.
enum TravelMeans: String, Codable, CaseIterable, Sendable {
  case train, ship, plane, bus, car, bicycle, foot
}
