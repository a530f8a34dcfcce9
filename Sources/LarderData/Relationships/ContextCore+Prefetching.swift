// Relationships that a fetch loads in advance.

import LarderSupport

extension _ContextCore {
  /// Loads relationships of fetched objects, with one statement for each relationship and at most ``prefetchBatchSize`` objects.
  ///
  /// The context holds the target of a to-one for a while (see ``StrongReferenceCache``), since objects do not hold it.
  @usableFromInline
  @inline(never)
  func prefetch<Model: PersistentModel>(_ request: FetchRequest, _ models: [Model]) throws {
    try propagateDeletions()
    try deferringNotifications { try prefetchDeferringNotifications(request, models) }
  }

  private func prefetchDeferringNotifications<Model: PersistentModel>(_ request: FetchRequest, _ models: [Model]) throws
  {
    let tracker = try tracker(for: request.layout)
    for property in request.prefetchedRelations {
      guard let relationship = tracker.layout.relationship(property) else { continue }
      for start in stride(from: 0, to: models.count, by: _ContextCore.prefetchBatchSize) {
        let batch = models[start..<min(start + _ContextCore.prefetchBatchSize, models.count)]
        try prefetch(relationship, of: batch.map { $0 }, tracker)
      }
    }
  }

  /// The maximum number of objects per statement: their row IDs are bound together, at 8 bytes each.
  static let prefetchBatchSize = 1 << 17

  private func prefetch(
    _ relationship: RelationshipLayout, of models: [any PersistentModel], _ tracker: _EntityTracker
  ) throws {
    let there = try self.tracker(for: relationship.destinationLayout)
    if relationship.isToMany {
      let unloaded = models.filter { model in
        model._$header.pointee.status.contains(.stored) && !model._$header.pointee.status.contains(.deleted)
          && isStale(model, relationship)
      }
      if !unloaded.isEmpty { try loadToMany(unloaded, tracker, relationship) }
      return
    }
    if case .inverse = relationship.storage {
      _ = tracker.invalidateInverseKeys()
      let unknown = models.filter { $0._$foreignKey(relationship.property) == _ToOneKey.notLoaded }
      if !unknown.isEmpty { try loadInverseKeys(of: unknown, tracker, relationship) }
      return
    }
    var missing: Set<Int64> = []
    for model in models {
      let row = model._$foreignKey(relationship.property)
      guard row > 0 else { continue }
      // An object that is alive now may be gone when it is accessed.
      if let known = there.find(row) { retainTemporarily(known) } else { missing.insert(row) }
    }
    _ = try there.loadRows(missing.inOrder())
  }
}
