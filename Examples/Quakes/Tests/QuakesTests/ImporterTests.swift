import SwiftData
import Testing

@testable import quakes

/// The loop and the short way beside it.
@Suite struct ImporterTests {
  /// What a store has, a line for each earthquake.
  private func stored(_ container: ModelContainer) throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<Quake>(sortBy: [SortDescriptor(\.code)])).map { quake in
      "\(quake.code) \(quake.magnitude) \(quake.time.timeIntervalSince1970) \(quake.location)"
    }
  }

  /// Over the rounds that the demo makes, both count the same and leave the same.
  @Test func bothWaysDoTheSame() async throws {
    let week = try ReplayedWeek.bundled()
    let containers = try (0..<2).map { _ in
      try ModelContainer(for: Quake.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }
    let importers = containers.map { QuakeImporter(modelContainer: $0) }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .millisecondsSince1970
    var changed = 0
    for time in [week.beginning, week.beginning, week.end] {
      let feed = week.feed(at: time)
      let byLoop = try await importers[0].importQuakes(from: decoder.decode(GeoFeatureCollection.self, from: feed))
      let byUpsert = try await importers[1].upsertQuakes(from: decoder.decode(GeoFeatureCollection.self, from: feed))
      #expect(byLoop == byUpsert)
      changed += byUpsert.updated
      #expect(try stored(containers[0]) == stored(containers[1]))
    }
    #expect(changed > 0)
    #expect(try stored(containers[1]).count >= 1_707)
  }

  @Test func whatHasNoPositionIsLeftOut() async throws {
    let container = try ModelContainer(
      for: Quake.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let text = #"""
      {"features":[{"properties":{"mag":1,"place":"","time":0,"code":"a"},"geometry":{"coordinates":[1]}},
      {"properties":{"mag":1,"place":"","time":0,"code":"b"},"geometry":{"coordinates":[1,2]}}]}
      """#
    let collection = try JSONDecoder().decode(GeoFeatureCollection.self, from: Data(text.utf8))
    let importer = QuakeImporter(modelContainer: container)
    #expect(try await importer.upsertQuakes(from: collection) == SyncCounts(inserted: 1, unchanged: 1))
    #expect(try await importer.importQuakes(from: collection) == SyncCounts(unchanged: 2))
  }
}
