import SwiftData

extension Trip {
  /// What is stored of a trip, read within its context.
  init(_ entity: TripEntity) {
    self.init(
      id: entity.remoteId, name: entity.name, startDate: entity.startDate, endDate: entity.endDate,
      legs: entity.legs.map {
        Leg(id: $0.legId, origin: $0.origin, destination: $0.destination, means: $0.means)
      },
      people: entity.people.map(\.name), tags: entity.tags.map(\.name))
  }
}

extension TripEntity {
  /// Makes the entity say what a trip says. What is the same already is no change, and is not written.
  func update(from trip: Trip, in context: ModelContext) throws {
    name = trip.name
    startDate = trip.startDate
    endDate = trip.endDate
    try update(legs: trip.legs, in: context)
    people = try context.entities(PersonEntity.self, named: trip.people)
    tags = try context.entities(TagEntity.self, named: trip.tags)
  }

  private func update(legs wanted: [Leg], in context: ModelContext) throws {
    let known = Dictionary(legs.map { ($0.legId, $0) }) { first, _ in first }
    let kept = wanted.map { leg in
      guard let entity = known[leg.id] else {
        return LegEntity(legId: leg.id, origin: leg.origin, destination: leg.destination, means: leg.means)
      }
      entity.origin = leg.origin
      entity.destination = leg.destination
      entity.means = leg.means
      return entity
    }
    legs = kept
    // A leg without its trip would be of no use to anybody.
    let ids = Set(wanted.map(\.id))
    for (id, entity) in known where !ids.contains(id) { context.delete(entity) }
  }
}
