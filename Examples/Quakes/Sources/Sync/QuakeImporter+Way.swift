import SwiftData

extension QuakeImporter {
  /// How features become rows.
  enum Way: Sendable {
    /// One after the other, as printed.
    case loop
    /// By one call.
    case upsert
  }

  /// Brings the store in step with the feed, in one way or the other.
  func importQuakes(from collection: GeoFeatureCollection, by way: Way) throws -> SyncCounts {
    switch way {
    case .loop: try importQuakes(from: collection)
    case .upsert: try upsertQuakes(from: collection)
    }
  }

  /// How far the store's history is by now; nil if it does not say.
  var historyToken: DefaultHistoryToken? { try? modelContext.currentHistoryToken() }
}
