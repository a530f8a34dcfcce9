import SwiftData

/// Seed 001's service with Quake's names and fields: the same loop, over records that are already decoded.
@ModelActor
actor QuakeSyncService {
  func sync(_ dtos: [QuakeDTO]) throws {
    for dto in dtos {
      let existingPredicate = #Predicate<Quake> { $0.code == dto.code }
      let existing = try modelContext.fetch(FetchDescriptor(predicate: existingPredicate))

      if let quake = existing.first {
        quake.magnitude = dto.magnitude
        quake.time = dto.time
        quake.place = dto.place
        quake.longitude = dto.longitude
        quake.latitude = dto.latitude
      } else {
        let quake = Quake(
          code: dto.code, magnitude: dto.magnitude, time: dto.time, place: dto.place, longitude: dto.longitude,
          latitude: dto.latitude)
        modelContext.insert(quake)
      }
    }
    try modelContext.save()
  }
}
