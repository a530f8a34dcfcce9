import SwiftData

/// What the program is made of, put together in one place and handed to whoever needs it.
///
/// A test makes one on memory with a mock client; nothing else in the program knows the difference.
struct Dependencies: Sendable {
  let store: TripStore
  let modelContainer: ModelContainer
  let tripRepository: TripRepository
  let syncService: TripSyncServiceProtocol
  let changes: StoreChanges

  /// - Parameters:
  ///   - store: Where the trips are kept.
  ///   - httpClient: What the API is asked by.
  ///   - tripsURL: The API's address.
  init(store: TripStore, httpClient: URLSession = .shared, tripsURL: URL) throws {
    self.store = store
    modelContainer = try store.open()
    tripRepository = SwiftDataTripRepository(modelContainer: modelContainer)
    syncService = TripSyncService(modelContainer: modelContainer, httpClient: httpClient, tripsURL: tripsURL)
    changes = StoreChanges(of: modelContainer)
  }

  /// A client that gives up after some seconds; whole ones, as URLSession on Linux knows no shorter.
  static func httpClient(patience seconds: Int) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = Double(max(1, seconds))
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    return URLSession(configuration: configuration)
  }

  /// A view model that nobody else has.
  func makeTripList() -> TripListViewModel {
    TripListViewModel(tripRepository: tripRepository, syncService: syncService)
  }
}
