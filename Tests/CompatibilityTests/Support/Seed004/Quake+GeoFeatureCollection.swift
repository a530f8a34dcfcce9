// What the article describes or names and does not print: the composite, the error, and the mapping's extensions.
import SwiftData

struct Location: Codable {
  var name: String
  var longitude: Double
  var latitude: Double
}

enum NetworkError: Error {
  case invalidResponse
}

extension Quake {
  convenience init(from feature: GeoFeatureCollection.Feature) {
    self.init(
      code: feature.properties.code, magnitude: feature.properties.mag, time: feature.properties.time,
      name: feature.properties.place, longitude: feature.geometry.coordinates[0],
      latitude: feature.geometry.coordinates[1])
  }
}

extension GeoFeatureCollection {
  /// Inserts a quake for each feature; one that is stored already is updated, since its code is unique.
  @MainActor
  static func refresh(modelContext: ModelContext, from feed: URL) async throws {
    let service = QuakeNetworkService()
    service.url = feed
    for feature in try await service.fetchQuakes().features {
      modelContext.insert(Quake(from: feature))
    }
    try modelContext.save()
  }
}

/// What the tests see of this module.
@MainActor
public final class Seed004 {
  private let container: ModelContainer
  private let feed: URL

  public init(feed: URL) throws {
    self.feed = feed
    container = try ModelContainer(for: Quake.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  public func refresh() async throws {
    try await GeoFeatureCollection.refresh(modelContext: container.mainContext, from: feed)
  }

  /// The quakes of at least a magnitude, the strongest first.
  public func quakes(from magnitude: Double) throws -> [String] {
    let descriptor = FetchDescriptor<Quake>(
      predicate: #Predicate { $0.magnitude >= magnitude && $0.location.name.contains("of") },
      sortBy: [SortDescriptor(\.magnitude, order: .reverse)])
    return try container.mainContext.fetch(descriptor).map {
      "\($0.code) \($0.magnitude) \($0.location.name) \($0.location.longitude)"
    }
  }
}
