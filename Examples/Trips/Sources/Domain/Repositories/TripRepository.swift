/// Where the trips are kept.
protocol TripRepository: Sendable {
  /// All trips, the earliest first.
  func fetchAll() async throws -> [Trip]

  /// Replaces what is kept of a trip.
  ///
  /// - Parameters:
  ///   - trip: What is to be kept.
  ///   - seen: The version that was edited; nil replaces any.
  /// - Throws: ``TripProblem`` if the trip cannot be kept as it is, is not there, or is another by now; what was kept
  ///   stays.
  func update(_ trip: Trip, since seen: TripVersion?) async throws
}

extension TripRepository {
  /// Replaces what is kept of a trip, whatever it is by now.
  func update(_ trip: Trip) async throws {
    try await update(trip, since: nil)
  }
}
