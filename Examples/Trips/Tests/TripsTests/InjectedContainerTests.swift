import SwiftData
import Testing

@testable import trips

// The names under which the printed test knows this program's types.
private typealias Trip = TripEntity

extension TripSyncService {
  /// What is imported comes from no address.
  fileprivate init(modelContainer: ModelContainer) {
    self.init(modelContainer: modelContainer, tripsURL: Made.tripsURL)
  }
}

/// The test of a published article as printed: a container in memory, isolated, without cleanup.
@Suite struct InjectedContainerTests {
  @Test func testImport() async throws {
    let config = ModelConfiguration(isStoredInMemoryOnly: true)
    let container = try ModelContainer(for: Trip.self, configurations: [config])
    let service = TripSyncService(modelContainer: container)

    let dtos = [TripDTO(name: "Paris", startDate: .now)]
    try await service.importTrips(from: dtos)

    let context = ModelContext(container)
    let trips = try context.fetch(FetchDescriptor<Trip>())
    #expect(trips.count == 1)
    #expect(trips.first?.name == "Paris")
  }

  /// The same fifty times at once: no container knows of another.
  @Test func fiftyAtATime() async throws {
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for _ in 0..<50 { tasks.addTask { try await testImport() } }
      try await tasks.waitForAll()
    }
  }
}
