// The code of a published article as printed, laid out by our formatter: the container is injected.
import SwiftData

@ModelActor
actor TripSyncService {
  func importTrips(from dtos: [TripDTO]) throws {
    for dto in dtos {
      modelContext.insert(Trip(name: dto.name, startDate: dto.startDate))
    }
    try modelContext.save()
  }
}
