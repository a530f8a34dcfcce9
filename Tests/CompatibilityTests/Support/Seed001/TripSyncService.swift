// The code of a published article as printed, laid out by our formatter; its view is left out, the model that it names
// is in Trip.swift.
import SwiftData

struct TripDTO: Codable, Sendable {
  let id: String
  let name: String
  let startDate: Date
}

@ModelActor
actor TripSyncService {
  private let httpClient: URLSession

  init(modelContainer: ModelContainer, httpClient: URLSession = .shared) {
    self.modelContainer = modelContainer
    let context = ModelContext(modelContainer)
    self.modelExecutor = DefaultSerialModelExecutor(modelContext: context)
    self.httpClient = httpClient
  }

  func syncTrips(from url: URL) async throws {
    let (data, _) = try await httpClient.data(from: url)
    let dtos = try JSONDecoder().decode([TripDTO].self, from: data)

    for dto in dtos {
      let existingPredicate = #Predicate<Trip> { $0.remoteId == dto.id }
      let existing = try modelContext.fetch(FetchDescriptor(predicate: existingPredicate))

      if let trip = existing.first {
        trip.name = dto.name
        trip.startDate = dto.startDate
      } else {
        let trip = Trip(remoteId: dto.id, name: dto.name, startDate: dto.startDate)
        modelContext.insert(trip)
      }
    }
    try modelContext.save()
  }
}
