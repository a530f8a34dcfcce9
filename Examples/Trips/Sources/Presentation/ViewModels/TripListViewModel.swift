import Foundation
import Observation

/// What the page of trips shows.
@Observable
final class TripListViewModel {
  private let tripRepository: TripRepository
  private let syncService: TripSyncServiceProtocol

  var trips: [Trip] = []
  var syncError: String?

  init(tripRepository: TripRepository, syncService: TripSyncServiceProtocol) {
    self.tripRepository = tripRepository
    self.syncService = syncService
  }

  func loadTrips() async {
    trips = (try? await tripRepository.fetchAll()) ?? []
  }

  func sync() async {
    do {
      try await syncService.syncTrips()
      await loadTrips()  // Refresh after sync
    } catch {
      syncError = error.localizedDescription
    }
  }
}
