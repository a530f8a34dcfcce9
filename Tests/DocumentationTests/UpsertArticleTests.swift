import SwiftData
import Testing

/// The steps of UpsertingRecords.md, each run.
@Suite struct UpsertArticleTests {
  // snippet: upsert record
  struct Feature: Decodable, Sendable {
    let id: String
    let mag: Double
    let time: Date
    let place: String
  }
  // snippet end

  private let container: ModelContainer

  init() throws {
    container = try ModelContainer(for: Quake.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  private func features(_ numbers: ClosedRange<Int>) -> [Feature] {
    numbers.map { Feature(id: "ak\($0)", mag: Double($0), time: .now, place: "Alaska") }
  }

  @Test func recordsAreUpserted() throws {
    let features = features(1...3)
    // snippet: upsert records
    let report = try container.upsert(features, into: Quake.self, by: \.code) { quake in
      quake.set(\.code) { $0.id }
      quake.set(\.magnitude) { $0.mag }
      quake.set(\.time) { $0.time }
      quake.set(\.location) { Location(name: $0.place, longitude: 0, latitude: 0) }
    }
    print("\(report.inserted) new, \(report.updated) changed, \(report.unchanged) as they were")
    for failure in report.firstFailures { print("record \(failure.index): \(failure.error)") }
    // snippet end
    #expect(report.inserted == 3 && report.failed == 0)
  }

  @Test func snapshotsRemoveWhatIsMissing() throws {
    func define(_ quake: inout UpsertMapping<Quake, Feature>) {
      quake.set(\.code) { $0.id }
      quake.set(\.magnitude) { $0.mag }
      quake.set(\.time) { $0.time }
      quake.set(\.location) { Location(name: $0.place, longitude: 0, latitude: 0) }
    }
    try container.upsert(features(1...9), into: Quake.self, by: \.code, mapping: define)
    let features = features(3...9)
    // snippet: upsert snapshot
    let strong = #Predicate<Quake> { $0.magnitude >= 2 }
    let report = try container.upsert(
      features, into: Quake.self, by: \.code, removing: .missing(among: strong), mapping: define)
    // snippet end
    #expect(report.removed == 1)
  }

  @Test func streamsAreUpserted() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Feature.self)
    for feature in features(1...5) { continuation.yield(feature) }
    continuation.finish()
    // snippet: upsert stream
    let report = try await container.upsert(stream, into: Quake.self, by: \.code, author: "feed") { quake in
      quake.set(\.code) { $0.id }
      quake.set(\.magnitude) { $0.mag }
      quake.set(\.time) { $0.time }
      quake.set(\.location) { Location(name: $0.place, longitude: 0, latitude: 0) }
    }
    // snippet end
    #expect(report.inserted == 5)
  }

  @Test func modelsAreUpserted() throws {
    let features = features(1...3)
    // snippet: upsert models
    let quakes = features.lazy.map { feature in
      Quake(
        code: feature.id, magnitude: feature.mag, time: feature.time,
        location: Location(name: feature.place, longitude: 0, latitude: 0))
    }
    let report = try container.upsert(quakes, by: \.code)
    // snippet end
    #expect(report.inserted == 3)
  }
}
