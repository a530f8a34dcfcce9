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

extension Suite {
  /// A feed's bytes into rows: with a direct reader and with plain Codable, beside simdjson and SQLite.
  func ingest() async throws {
    let text = try feedText()
    try await ingest(
      "JSON to rows, direct reader", text, budget: Budget.directIngest,
      JSONElements(of: FeatureRecord.self, at: "features[*]", in: text.chunks))
    let decoder = StrictJSONDecoder()
    decoder.dateDecodingStrategy = .millisecondsSince1970
    try await ingest(
      "JSON to rows, plain Codable", text, budget: Budget.codableIngest,
      JSONElements(decoding: FeatureRecord.self, with: decoder, at: "features[*]", in: text.chunks))
  }

  private func ingest(
    _ name: String, _ text: FeedText, budget: Double, _ elements: JSONElements<FeedText.Chunks, FeatureRecord>
  ) async throws {
    let limit = try stores.limit(.flat)
    let container = try stores.container()
    var limitCount = 0
    var report: UpsertReport?
    for change in ["empty store", "unchanged rows"] {
      try await measure("\(name), \(change)", budget: budget, rows: records.count) {
        limitCount = try text.limit(limit)
      } ours: {
        report = try await container.ingest(elements, into: Quake.self, by: \.code) { quake in
          quake.set(\.code) { $0.properties.code }
          quake.set(\.magnitude) { $0.properties.mag }
          quake.set(\.time) { $0.properties.time }
          quake.set(\.place) { $0.properties.place }
          quake.set(\.longitude) { $0.geometry.coordinates[0] }
          quake.set(\.latitude) { $0.geometry.coordinates[1] }
        }
      }
      let counts = [report?.inserted, report?.unchanged, report?.failed]
      let expected = change == "empty store" ? [records.count, 0, 0] : [0, records.count, 0]
      try require(limitCount == records.count && counts == expected, "both sides read the feed: \(counts)")
    }
  }
}
