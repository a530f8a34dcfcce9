import Foundation

/// A trip while somebody edits it: what stands in the fields, whether or not it makes sense yet.
struct TripForm: Hashable, Sendable {
  struct LegFields: Hashable, Sendable {
    var id: UUID
    var origin = ""
    var destination = ""
    var means = TravelMeans.train
  }

  var id: String
  var name: String
  var firstDay: String
  var lastDay: String
  /// Names, with commas between them.
  var people: String
  var tags: String
  var legs: [LegFields]
  /// The version that was there when the editing began.
  var seen: TripVersion
}

extension TripForm {
  init(_ trip: Trip) {
    self.init(
      id: trip.id, name: trip.name, firstDay: Days.machine(trip.startDate), lastDay: Days.machine(trip.endDate),
      people: trip.people.joined(separator: ", "), tags: trip.tags.joined(separator: ", "),
      legs: trip.legs.map { LegFields(id: $0.id, origin: $0.origin, destination: $0.destination, means: $0.means) },
      seen: trip.version)
  }

  /// What the fields say.
  ///
  /// - Throws: The first thing that is wrong with it.
  func trip() throws(TripProblem) -> Trip {
    let trip = Trip(
      id: id, name: name.trimmingCharacters(in: .whitespacesAndNewlines),
      startDate: try Self.day(firstDay, called: "first"), endDate: try Self.day(lastDay, called: "last"),
      legs: legs.map { leg in
        Leg(
          id: leg.id, origin: leg.origin.trimmingCharacters(in: .whitespacesAndNewlines),
          destination: leg.destination.trimmingCharacters(in: .whitespacesAndNewlines), means: leg.means)
      }, people: Self.names(people), tags: Self.names(tags))
    try trip.check()
    return trip
  }

  private static func day(_ text: String, called what: String) throws(TripProblem) -> Date {
    guard let day = Days.date(text) else {
      throw TripProblem(description: "The \(what) day is no date. Write it as 2026-09-30.")
    }
    return day
  }

  private static func names(_ text: String) -> [String] {
    text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }.filter { !$0.isEmpty }
  }
}

extension TripForm {
  /// What a button of the form asks for.
  enum Action: Hashable, Sendable {
    case save
    /// A leg more, from where the last one ends.
    case add(UUID)
    case up(UUID)
    case down(UUID)
    case remove(UUID)
  }

  /// Does to the legs what a button asks for.
  mutating func perform(_ action: Action) {
    func place(_ id: UUID) -> Int? { legs.firstIndex { $0.id == id } }
    switch action {
    case .save: break
    case .add(let id):
      if legs.count < Trip.mostLegs { legs.append(LegFields(id: id, origin: legs.last?.destination ?? "")) }
    case .up(let id):
      if let place = place(id), place > 0 { legs.swapAt(place, place - 1) }
    case .down(let id):
      if let place = place(id), place < legs.count - 1 { legs.swapAt(place, place + 1) }
    case .remove(let id): legs.removeAll { $0.id == id }
    }
  }
}
