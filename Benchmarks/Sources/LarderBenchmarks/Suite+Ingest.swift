import Foundation
import Larder

/// What is kept of the feed, by a direct reader.
@JSONReadable
struct FeatureRecord: Decodable, Sendable {
  let properties: Properties
  let geometry: Geometry

  @JSONReadable(dates: .millisecondsSince1970)
  struct Properties: Decodable, Sendable {
    let mag: Double
    let place: String
    let time: Date
    let code: String
  }

  @JSONReadable
  struct Geometry: Decodable, Sendable {
    let coordinates: [Double]
  }
}

/// How a feed's records are read.
enum FeedReader: String, CaseIterable {
  case direct = "direct reader"
  case codable = "plain Codable"

  var budget: Double { self == .direct ? Budget.directIngest : Budget.codableIngest }

  func elements<Chunks: AsyncSequence>(in chunks: Chunks) -> JSONElementSequence<Chunks, FeatureRecord>
  where Chunks.Element: Sequence<UInt8> {
    switch self {
    case .direct: return JSONElementSequence(of: FeatureRecord.self, at: "features[*]", in: chunks)
    case .codable:
      let decoder = StrictJSONDecoder()
      decoder.dateDecodingStrategy = .millisecondsSince1970
      return JSONElementSequence(decoding: FeatureRecord.self, with: decoder, at: "features[*]", in: chunks)
    }
  }
}

extension ModelContainer {
  /// A feed's features into quakes.
  func ingestQuakes<Chunks: AsyncSequence>(_ elements: JSONElementSequence<Chunks, FeatureRecord>) async throws
    -> UpsertReport
  {
    try await ingest(elements, into: Quake.self, by: \.code) { quake in
      quake.set(\.code) { $0.properties.code }
      quake.set(\.magnitude) { $0.properties.mag }
      quake.set(\.time) { $0.properties.time }
      quake.set(\.place) { $0.properties.place }
      quake.set(\.longitude) { $0.geometry.coordinates[0] }
      quake.set(\.latitude) { $0.geometry.coordinates[1] }
    }
  }
}

extension Suite {
  /// A feed's bytes into rows: with a direct reader and with plain Codable, beside simdjson and SQLite.
  func ingest() async throws {
    let text = try feedText(records.count)
    for reader in FeedReader.allCases {
      let limit = try stores.limit(.flat)
      let container = try stores.container()
      for change in [Change.none, .unchanged] {
        try await ingest(Self.ingestName(reader, change), text, reader, records.count, change, limit, container)
      }
    }
  }

  static func ingestName(_ reader: FeedReader, _ change: Change) -> String {
    "JSON to rows, \(reader.rawValue), \(change.rawValue)"
  }

  func ingest(
    _ name: String, _ text: FeedText, _ reader: FeedReader, _ count: Int, _ change: Change, _ limit: Limit,
    _ container: ModelContainer
  ) async throws {
    var limitCount = 0
    var report: UpsertReport?
    try await measure(name, budget: judged(reader.budget, count), rows: count) {
      limitCount = try text.limit(limit)
    } ours: {
      report = try await container.ingestQuakes(reader.elements(in: text.chunks))
    }
    guard let report else { return }
    let counts = [report.inserted, report.updated, report.unchanged, report.failed]
    try require(limitCount == count && counts == change.counts(count), "both sides read the feed: \(counts)")
  }
}
