// The code of a published article as printed, laid out by our formatter, in its three files.
// Domain/Services/TripSyncServiceProtocol.swift — pure Swift

protocol TripSyncServiceProtocol: Sendable {
  func syncTrips() async throws
}
