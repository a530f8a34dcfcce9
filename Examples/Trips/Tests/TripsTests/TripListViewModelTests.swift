import Foundation
import Observation
import Synchronization
import Testing

@testable import trips

/// The view model with a mock service and a mock repository.
@MainActor @Suite struct TripListViewModelTests {
  private struct MockRepository: TripRepository {
    let trips = Shared<[Trip]>([])
    func fetchAll() async throws -> [Trip] { trips.value }
    func update(_ trip: Trip, since seen: TripVersion?) async throws {}
  }

  private struct MockService: TripSyncServiceProtocol {
    let syncs = Shared(0)
    let work: @Sendable () throws -> Void

    init(work: @escaping @Sendable () throws -> Void = {}) { self.work = work }

    func syncTrips() async throws {
      syncs.value += 1
      try work()
    }
  }

  /// A value that a mock and its test both hold.
  private final class Shared<Value: Sendable>: Sendable {
    private let stored: Mutex<Value>
    init(_ value: Value) { stored = Mutex(value) }
    var value: Value {
      get { stored.withLock { $0 } }
      set { stored.withLock { $0 = newValue } }
    }
  }

  private struct Refused: LocalizedError {
    var errorDescription: String? { "The server is closed on Sundays." }
  }

  private nonisolated static let rome = Trip(id: "1", name: "Rome", startDate: .distantPast, endDate: .distantFuture)

  @Test func loadsWhatTheRepositoryHas() async {
    let repository = MockRepository()
    let model = TripListViewModel(tripRepository: repository, syncService: MockService())
    #expect(model.trips.isEmpty)
    repository.trips.value = [Self.rome]
    await model.loadTrips()
    #expect(model.trips == [Self.rome])
  }

  @Test func loadsAgainAfterASync() async {
    let repository = MockRepository()
    let service = MockService { repository.trips.value = [Self.rome] }
    let model = TripListViewModel(tripRepository: repository, syncService: service)
    await model.sync()
    #expect(service.syncs.value == 1)
    #expect(model.trips == [Self.rome])
    #expect(model.syncError == nil)
  }

  @Test func failureIsASentenceAndKeepsTheList() async {
    let repository = MockRepository()
    repository.trips.value = [Self.rome]
    let model = TripListViewModel(tripRepository: repository, syncService: MockService { throw Refused() })
    await model.loadTrips()
    await model.sync()
    #expect(model.syncError == "The server is closed on Sundays.")
    #expect(model.trips == [Self.rome])
  }

  @Test func whoReadTheTripsIsToldOfOthers() async {
    let repository = MockRepository()
    let model = TripListViewModel(tripRepository: repository, syncService: MockService())
    let told = Shared(false)
    withObservationTracking {
      _ = model.trips
    } onChange: {
      told.value = true
    }
    repository.trips.value = [Self.rome]
    await model.loadTrips()
    #expect(told.value)
  }
}
