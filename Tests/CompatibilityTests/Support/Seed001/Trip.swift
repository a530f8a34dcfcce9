import SwiftData

@Model
class Trip {
  var remoteId: String
  var name: String
  var startDate: Date

  init(remoteId: String, name: String, startDate: Date) {
    self.remoteId = remoteId
    self.name = name
    self.startDate = startDate
  }
}

/// What the tests see of this module.
public enum Seed001 {
  public static func container() throws -> ModelContainer {
    try ModelContainer(for: Trip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  public static func sync(from url: URL, into container: ModelContainer) async throws {
    try await TripSyncService(modelContainer: container).syncTrips(from: url)
  }

  /// What the article's view shows: the trips by the day they start.
  public static func trips(in container: ModelContainer) throws -> [String] {
    let trips = try ModelContext(container).fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.startDate)]))
    return trips.map { "\($0.remoteId) \($0.name) \(Int($0.startDate.timeIntervalSinceReferenceDate))" }
  }
}
