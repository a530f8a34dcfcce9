import SwiftData

/// A part of a trip; it goes when the trip does.
@Model
final class LegEntity {
  @Attribute(.unique) var legId: UUID
  var origin: String
  var destination: String
  var means: TravelMeans
  var trip: TripEntity?

  init(legId: UUID, origin: String, destination: String, means: TravelMeans) {
    self.legId = legId
    self.origin = origin
    self.destination = destination
    self.means = means
  }
}
