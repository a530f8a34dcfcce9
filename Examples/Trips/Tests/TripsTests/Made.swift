import LarderTesting
import SwiftData
import Testing

@testable import trips

/// What the tests are made of.
enum Made {
  static let tripsURL = URL(string: "https://api.example/trips")!

  /// Midday, in days since 2001.
  static func day(_ number: Int) -> Date { Date(timeIntervalSinceReferenceDate: Double(number) * 86_400) }

  static func container() throws -> ModelContainer { try TripStore.memory.open() }

  /// A trip of the API that has everything.
  static func lisbon(name: String = "Lisbon", startDate: Date = day(1), endDate: Date = day(9)) -> TripDTO {
    TripDTO(
      id: "lisbon", name: name, startDate: startDate, endDate: endDate,
      legs: [
        LegDTO(from: "Berlin", to: "Paris", by: .train), LegDTO(from: "Paris", to: "Irun", by: .train),
        LegDTO(from: "Irun", to: "Lisbon", by: .bus),
      ], people: ["Ada", "Grace"], tags: ["south", "city"])
  }

  static func oslo(name: String = "Oslo") -> TripDTO {
    TripDTO(
      id: "oslo", name: name, startDate: day(20), endDate: day(22), legs: [LegDTO(from: "Kiel", to: "Oslo", by: .ship)],
      people: ["Ada"], tags: ["north", "city"])
  }

  static func json(_ trips: [TripDTO]) -> String {
    String(decoding: (try? JSONEncoder().encode(trips)) ?? Data(), as: UTF8.self)
  }

  /// A mock HTTP client that answers with these trips.
  static func client(_ trips: [TripDTO]) -> HTTPStub {
    let body = json(trips)
    return HTTPStub { _ in .json(body) }
  }
}

extension Trip {
  /// Its legs in a line.
  var route: [String] { legs.map { "\($0.origin)–\($0.destination) \($0.means)" } }
}
