import SwiftData

/// A trip in the store.
@Model
final class TripEntity {
  /// The API's name for it, by which a sync finds it again.
  @Attribute(.unique) var remoteId: String
  var name: String
  var startDate: Date
  var endDate: Date
  /// In the order of travel.
  @Relationship(deleteRule: .cascade, inverse: \LegEntity.trip) var legs: [LegEntity] = []
  @Relationship(inverse: \PersonEntity.trips) var people: [PersonEntity] = []
  @Relationship(inverse: \TagEntity.trips) var tags: [TagEntity] = []

  init(remoteId: String, name: String, startDate: Date, endDate: Date) {
    self.remoteId = remoteId
    self.name = name
    self.startDate = startDate
    self.endDate = endDate
  }
}
