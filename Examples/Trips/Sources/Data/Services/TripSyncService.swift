import SwiftData

/// Fetches the trips of the API and keeps the store in step with them, away from whoever reads it.
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
    try await syncTrips(from: tripsURL)
  }

  /// - Throws: ``TripSyncError`` if the trips cannot be had, and what the store throws if they cannot be kept.
  func syncTrips(from url: URL) async throws {
    let (data, response) = try await TripSyncError.explain(
      patience: httpClient.configuration.timeoutIntervalForRequest
    ) { try await httpClient.data(from: url) }
    let dtos = try TripSyncError.explain(response, data) { try JSONDecoder().decode([TripDTO].self, from: data) }
    try importTrips(from: dtos)
  }

  /// Updates the trips that the store has, and inserts the others. Those that are in the store only stay there.
  ///
  /// Name and dates are the API's. Legs, people and tags come with a new trip, and are the store's own from then on.
  func importTrips(from dtos: [TripDTO]) throws {
    do {
      for dto in dtos {
        let predicate = #Predicate<TripEntity> { $0.remoteId == dto.id }
        let existing = try modelContext.fetch(FetchDescriptor(predicate: predicate))

        if let entity = existing.first {
          entity.name = dto.name
          entity.startDate = dto.startDate
          entity.endDate = dto.endDate
        } else {
          let entity = TripEntity(
            remoteId: dto.id, name: dto.name, startDate: dto.startDate, endDate: dto.endDate
          )
          modelContext.insert(entity)
          try outfit(entity, from: dto)
        }
      }
      try modelContext.save()
    } catch {
      // The store keeps what it had, and the next sync starts from there.
      modelContext.rollback()
      throw error
    }
  }

  private func outfit(_ entity: TripEntity, from dto: TripDTO) throws {
    entity.legs = (dto.legs ?? []).map {
      LegEntity(legId: UUID(), origin: $0.from, destination: $0.to, means: $0.by)
    }
    entity.people = try modelContext.entities(PersonEntity.self, named: dto.people ?? [])
    entity.tags = try modelContext.entities(TagEntity.self, named: dto.tags ?? [])
  }
}
