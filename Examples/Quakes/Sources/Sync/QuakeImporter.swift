import SwiftData

/// Keeps the store in step with the feed, away from whoever reads it.
@ModelActor
actor QuakeImporter {
  /// Updates the earthquakes that the store has, and inserts the others. Those that the feed no longer has stay.
  func importQuakes(from collection: GeoFeatureCollection) throws -> SyncCounts {
    do {
      for feature in collection.features {
        let code = feature.properties.code
        let predicate = #Predicate<Quake> { $0.code == code }
        let existing = try modelContext.fetch(FetchDescriptor(predicate: predicate))

        if let quake = existing.first {
          quake.update(from: feature)
        } else if let quake = Quake(from: feature) {
          modelContext.insert(quake)
        }
      }
      // Assigning what is there already is no change, so what is unchanged is in neither list.
      let inserted = modelContext.insertedModelsArray.count
      let updated = modelContext.changedModelsArray.count
      try modelContext.save()
      return SyncCounts(
        inserted: inserted, updated: updated, unchanged: collection.features.count - inserted - updated)
    } catch {
      // The store keeps what it had, and the next round starts from there.
      modelContext.rollback()
      throw error
    }
  }
}
