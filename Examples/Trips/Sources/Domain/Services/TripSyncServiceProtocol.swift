/// Brings the trips up to date with wherever they come from.
protocol TripSyncServiceProtocol: Sendable {
  func syncTrips() async throws
}
