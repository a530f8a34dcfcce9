import SwiftData

/// The trips of the store, read and edited away from whoever shows them.
///
/// Each reading and each edit has a context of its own: to-manys that an older one has loaded may be older than what
/// another process has saved since.
@ModelActor
actor SwiftDataTripRepository: TripRepository {
  func fetchAll() throws -> [Trip] {
    let context = ModelContext(modelContainer)
    var trips = FetchDescriptor<TripEntity>(sortBy: [SortDescriptor(\.startDate), SortDescriptor(\.remoteId)])
    trips.relationshipKeyPathsForPrefetching = [\.legs, \.people, \.tags]
    return try context.fetch(trips).map(Trip.init)
  }

  func update(_ trip: Trip, since seen: TripVersion?) throws {
    try trip.check()
    let context = ModelContext(modelContainer)
    // What others save between the look and the save is not to be written over.
    context.mergePolicy = .error
    let id = trip.id
    let existing = try context.fetch(FetchDescriptor<TripEntity>(predicate: #Predicate { $0.remoteId == id }))
    guard let entity = existing.first else { throw TripProblem.gone }
    if let seen, seen != Trip(entity).version { throw TripProblem.changedElsewhere }
    // If it fails, the context goes, and what it had pending with it.
    try entity.update(from: trip, in: context)
    do {
      try context.save()
    } catch let error as SaveError where error.code == .mergeConflict || error.code == .rowDeleted {
      throw TripProblem.changedElsewhere
    }
  }
}
