import Foundation
import SwiftData

/// What is kept of the feed, as it is usually decoded: whole.
struct UsualFeed: Decodable, Sendable {
  let features: [FeatureRecord]

  static func decode(_ data: Data) throws -> [QuakeDTO] {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .millisecondsSince1970
    return try decoder.decode(UsualFeed.self, from: data).features.map { feature in
      QuakeDTO(
        code: feature.properties.code, magnitude: feature.properties.mag, time: feature.properties.time,
        place: feature.properties.place, longitude: feature.geometry.coordinates[0],
        latitude: feature.geometry.coordinates[1])
    }
  }
}

extension Suite {
  static let usualName = "JSON to rows, JSONDecoder and the loop"

  /// What users have without any of this: Foundation's decoder, and the loop.
  func usual() async throws {
    let text = try feedText(records.count)
    let limit = try stores.limit(.flat)
    let container = try stores.container()
    let data = text.data
    try await measure(Self.usualName, budget: nil, rows: records.count) {
      _ = try text.limit(limit)
    } ours: {
      try await QuakeSyncService(modelContainer: container).sync(UsualFeed.decode(data))
    }
    let count = try ModelContext(container).fetchCount(FetchDescriptor<Quake>())
    try require(count == records.count, "the loop stored the feed: \(count)")
  }
}
