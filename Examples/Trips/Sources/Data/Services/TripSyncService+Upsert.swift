import SwiftData

// The short way, beside the loop that Apple's own API asks for: what differs is found by the store, and no trip that it
// knows becomes an object.

extension TripSyncService {
  /// Does what ``importTrips(from:)`` does, by two calls, each a series of short saves: what is wrong with one trip keeps
  /// that one out, and is in the report.
  ///
  /// - Returns: What was done, of trips that the store did not know, and of those that it did.
  @discardableResult
  func upsertTrips(from dtos: [TripDTO]) throws -> (new: UpsertReport, known: UpsertReport) {
    let ids = Set(dtos.map(\.id))
    let descriptor = FetchDescriptor<TripEntity>(predicate: #Predicate { ids.contains($0.remoteId) })
    let knownIds = Set(try modelContext.fetch(descriptor).map(\.remoteId))
    // With all that comes with a new trip: who is shared by trips is found by the name, which is unique.
    let new = try modelContainer.upsert(
      dtos.lazy.filter { !knownIds.contains($0.id) }.map { TripEntity($0) }, by: \.remoteId)
    let known = try modelContext.upsert(
      dtos.filter { knownIds.contains($0.id) }, into: TripEntity.self, by: \.remoteId
    ) { trip in
      trip.set(\.remoteId) { $0.id }
      trip.set(\.name) { $0.name }
      trip.set(\.startDate) { $0.startDate }
      trip.set(\.endDate) { $0.endDate }
    }
    return (new, known)
  }
}

extension TripEntity {
  /// A new trip, of new objects alone.
  fileprivate convenience init(_ dto: TripDTO) {
    self.init(remoteId: dto.id, name: dto.name, startDate: dto.startDate, endDate: dto.endDate)
    legs = (dto.legs ?? []).map { LegEntity(legId: UUID(), origin: $0.from, destination: $0.to, means: $0.by) }
    people = (dto.people ?? []).map { PersonEntity(name: $0) }
    tags = (dto.tags ?? []).map { TagEntity(name: $0) }
  }
}
