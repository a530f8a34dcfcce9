// What the article names and does not print: the entity, its DTO, the domain's own type and its repository.
import SwiftData
import Synchronization

struct TripDTO: Codable, Sendable {
  let id: String
  let name: String
  let startDate: Date
  let endDate: Date
}

@Model
final class TripEntity {
  @Attribute(.unique) var remoteId: String
  var name: String
  var startDate: Date
  var endDate: Date

  init(remoteId: String, name: String, startDate: Date, endDate: Date) {
    self.remoteId = remoteId
    self.name = name
    self.startDate = startDate
    self.endDate = endDate
  }
}

struct Trip: Identifiable, Sendable {
  let id: String
  let name: String
}

protocol TripRepository: Sendable {
  func fetchAll() async throws -> [Trip]
}

@ModelActor
actor StoredTripRepository: TripRepository {
  func fetchAll() throws -> [Trip] {
    try modelContext.fetch(FetchDescriptor<TripEntity>(sortBy: [SortDescriptor(\.startDate)]))
      .map { Trip(id: $0.remoteId, name: $0.name) }
  }
}

/// What the tests see of this module: the view model on the main actor, as the article's view would hold it.
@MainActor
public final class Seed000 {
  private let viewModel: TripListViewModel

  public init(tripsURL: URL) throws {
    let container = try ModelContainer(
      for: TripEntity.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    viewModel = TripListViewModel(
      tripRepository: StoredTripRepository(modelContainer: container),
      syncService: TripSyncService(modelContainer: container, tripsURL: tripsURL))
  }

  public var names: [String] { viewModel.trips.map(\.name) }
  public var error: String? { viewModel.syncError }
  public func load() async { await viewModel.loadTrips() }
  public func sync() async { await viewModel.sync() }

  /// Whether a change of the view model's trips is told to one who read them.
  public func syncWhileObserving() async -> Bool {
    let told = Told()
    withObservationTracking {
      _ = viewModel.trips
    } onChange: {
      told.value.withLock { $0 = true }
    }
    await viewModel.sync()
    return told.value.withLock { $0 }
  }
}

private final class Told: Sendable {
  let value = Mutex(false)
}
