// The article's two setups as printed (its XCTest assertions are the caller's), and what it names and does not print.
import SwiftData

struct TripDTO: Codable, Sendable {
  let name: String
  let startDate: Date
}

@Model
class Trip {
  var name: String
  var startDate: Date

  init(name: String, startDate: Date) {
    self.name = name
    self.startDate = startDate
  }
}

public enum Seed003 {
  /// Production setup. On this system the default place can be moved by `XDG_DATA_HOME`.
  public static func production() async throws -> Int {
    let container = try ModelContainer(for: Trip.self)
    let syncService = TripSyncService(modelContainer: container)

    try await syncService.importTrips(from: [TripDTO(name: "Rome", startDate: .now)])
    return try ModelContext(container).fetchCount(FetchDescriptor<Trip>())
  }

  /// Test setup (in-memory, isolated).
  public static func testImport() async throws -> [String] {
    let config = ModelConfiguration(isStoredInMemoryOnly: true)
    let container = try ModelContainer(for: Trip.self, configurations: [config])
    let service = TripSyncService(modelContainer: container)

    let dtos = [TripDTO(name: "Paris", startDate: .now)]
    try await service.importTrips(from: dtos)

    let context = ModelContext(container)
    let trips = try context.fetch(FetchDescriptor<Trip>())
    return trips.map(\.name)
  }

  /// The same service on disk.
  public static func importOnDisk(at url: URL) async throws -> [String] {
    let container = try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: url))
    try await TripSyncService(modelContainer: container).importTrips(from: [TripDTO(name: "Oslo", startDate: .now)])
    return try ModelContext(container).fetch(FetchDescriptor<Trip>()).map(\.name)
  }
}
