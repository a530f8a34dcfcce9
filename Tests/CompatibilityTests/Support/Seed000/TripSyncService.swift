// Data/Services/TripSyncService.swift — SwiftData implementation

import SwiftData

@ModelActor
actor TripSyncService: TripSyncServiceProtocol {
  private let httpClient: URLSession
  private let tripsURL: URL

  init(modelContainer: ModelContainer, httpClient: URLSession = .shared, tripsURL: URL) {
    self.modelContainer = modelContainer
    let context = ModelContext(modelContainer)
    self.modelExecutor = DefaultSerialModelExecutor(modelContext: context)
    self.httpClient = httpClient
    self.tripsURL = tripsURL
  }

  func syncTrips() async throws {
    let (data, _) = try await httpClient.data(from: tripsURL)
    let dtos = try JSONDecoder().decode([TripDTO].self, from: data)

    for dto in dtos {
      let predicate = #Predicate<TripEntity> { $0.remoteId == dto.id }
      let existing = try modelContext.fetch(FetchDescriptor(predicate: predicate))

      if let entity = existing.first {
        entity.name = dto.name
        entity.startDate = dto.startDate
      } else {
        modelContext.insert(
          TripEntity(
            remoteId: dto.id, name: dto.name, startDate: dto.startDate, endDate: dto.endDate
          ))
      }
    }
    try modelContext.save()
  }
}
