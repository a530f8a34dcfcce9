// The code of a published article, as printed, in its three files.
// Domain/Services/TripSyncServiceProtocol.swift — pure Swift

protocol TripSyncServiceProtocol: Sendable {
    func syncTrips() async throws
}
