// Relationships that a fetch was asked to bring along.

import LarderSupport

extension ContextCore {
  /// Loads relationships of fetched objects, with a statement for each and at most ``prefetchBatch`` objects.
  ///
  /// What a to-one leads to is held for a while by the context (see ``KeptObjects``), since objects do not hold it.
  @usableFromInline
  @inline(never)
  func prefetch<Model: PersistentModel>(_ request: FetchRequest, _ models: [Model]) throws {
    try spreadDeletions()
    try quietly { try prefetchQuietly(request, models) }
  }

  private func prefetchQuietly<Model: PersistentModel>(_ request: FetchRequest, _ models: [Model]) throws {
    let state = try state(for: request.layout)
    for property in request.prefetched {
      guard let relation = state.layout.relation(property) else { continue }
      for start in stride(from: 0, to: models.count, by: ContextCore.prefetchBatch) {
        let batch = models[start..<min(start + ContextCore.prefetchBatch, models.count)]
        try prefetch(relation, of: batch.map { $0 }, state)
      }
    }
  }

  /// Objects of one statement: their identifiers are bound together, at 8 bytes each.
  static let prefetchBatch = 1 << 17

  private func prefetch(
    _ relation: RelationLayout, of models: [any PersistentModel], _ state: EntityState
  ) throws {
    let there = try self.state(for: relation.destinationLayout)
    if relation.isToMany {
      let unloaded = models.filter { model in
        model._$header.pointee.status.contains(.stored) && !model._$header.pointee.status.contains(.deleted)
          && isOutdated(model, relation)
      }
      if !unloaded.isEmpty { try fill(unloaded, state, relation) }
      return
    }
    if case .mirror = relation.form {
      _ = state.forgetMirrors()
      let unknown = models.filter { $0._$key(relation.property) == ToOneKey.unknown }
      if !unknown.isEmpty { try loadMirroredKeys(of: unknown, state, relation) }
      return
    }
    var missing: Set<Int64> = []
    for model in models {
      let row = model._$key(relation.property)
      guard row > 0 else { continue }
      // One that is alive now need not be when it is asked for.
      if let known = there.find(row) { keep(known) } else { missing.insert(row) }
    }
    _ = try there.loadRows(missing.inOrder())
  }
}
