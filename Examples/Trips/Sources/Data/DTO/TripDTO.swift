import Foundation

/// A trip as the API sends it. Its dates are seconds since 2001, as `JSONDecoder` reads them unasked.
struct TripDTO: Codable, Hashable, Sendable {
  let id: String
  let name: String
  let startDate: Date
  let endDate: Date
  var legs: [LegDTO]?
  var people: [String]?
  var tags: [String]?

  /// - Parameter endDate: The last day; if not given, the trip is one of a day.
  init(
    id: String = UUID().uuidString, name: String, startDate: Date, endDate: Date? = nil, legs: [LegDTO]? = nil,
    people: [String]? = nil, tags: [String]? = nil
  ) {
    self.id = id
    self.name = name
    self.startDate = startDate
    self.endDate = endDate ?? startDate
    self.legs = legs
    self.people = people
    self.tags = tags
  }
}

/// A part of a trip as the API sends it.
struct LegDTO: Codable, Hashable, Sendable {
  let from: String
  let to: String
  let by: TravelMeans
}
