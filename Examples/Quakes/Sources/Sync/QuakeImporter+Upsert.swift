import SwiftData

// The short way, beside the loop that Apple's own API asks for: what differs is found by the store, and no record becomes
// an object.

extension QuakeImporter {
  /// Does what ``importQuakes(from:)`` does, by one call.
  func upsertQuakes(from collection: GeoFeatureCollection) throws -> SyncCounts {
    let report = try modelContext.upsert(collection.features, into: Quake.self, by: \.code) { quake in
      quake.set(\.code) { $0.properties.code }
      quake.set(\.magnitude) { $0.properties.mag }
      quake.set(\.time) { $0.properties.time }
      quake.set(\.location) { try Location(of: $0) }
    }
    return SyncCounts(
      inserted: report.inserted, updated: report.updated, unchanged: report.unchanged + report.failed)
  }
}

extension Location {
  fileprivate init(of feature: GeoFeatureCollection.Feature) throws {
    guard feature.geometry.coordinates.count >= 2 else { throw ImplausibleFeature.tooFewCoordinates }
    self.init(
      name: feature.properties.place, longitude: feature.geometry.coordinates[0],
      latitude: feature.geometry.coordinates[1])
  }
}
