internal import CLarderData
internal import LarderSupport

extension EntityWriter {
  /// Updates the objects after the commit.
  func applyCommit() { applyCommit(tracker.layout.type) }

  private func applyCommit<Model: PersistentModel>(_ type: Model.Type) {
    let inserted = tracker.inserted.prefix(insertedCount)
    let late = tracker.inserted.dropFirst(insertedCount)
    let changed = tracker.changed
    let deleted = tracker.deleted
    let united = Set(resolvedUpserts.map { ObjectIdentifier($0.object) })
    let edits = reentrantEdits?.unsavedEdits(of: self) ?? []
    // Objects whose late edits were the only ones were not written, and keep their version.
    let unwritten = Set(
      edits.filter { reentrantEdits?.hasWritten($0.model._$header) == false }.map { ObjectIdentifier($0.model) })

    for object in changed {
      let header = unsafeDowncast(object, to: Model.self)._$header
      let isWritten =
        header.pointee.changedMask & tracker.layout.storedMask != 0
        && (unwritten.isEmpty || !unwritten.contains(ObjectIdentifier(object)))
      header.pointee.status.remove(.edited)
      header.pointee.changedMask = 0
      if !isWritten { continue }
      header.pointee.version = versionsAfterSave[header.pointee.rowID] ?? header.pointee.version + 1
    }
    for object in inserted where united.isEmpty || !united.contains(ObjectIdentifier(object)) {
      let header = unsafeDowncast(object, to: Model.self)._$header
      if !reassignedRowIDs.isEmpty, let row = reassignedRowIDs[header.pointee.rowID] {
        tracker.recordAlias(header.pointee.rowID, as: row)
        tracker.rename(header, to: row)
      }
      header.pointee.status = .stored
      header.pointee.changedMask = 0
      header.pointee.version = versionsAfterSave.isEmpty ? 1 : versionsAfterSave[header.pointee.rowID] ?? 1
    }
    tracker.clearPending()
    // Inserts made during the save wait for the next one.
    tracker.inserted = Array(late)
    tracker.restorePending(edits)
    for union in resolvedUpserts { applyUpsert(union, unsafeDowncast(union.object, to: Model.self)) }
    for object in deleted {
      let model = unsafeDowncast(object, to: Model.self)
      tracker.release(model._$header, status: .rowMissing)
    }
  }

  /// Registers the instance that represents the row of a resolved upsert from now on: the one that the context already had,
  /// with the new values, or else the inserted one.
  private func applyUpsert<Model: PersistentModel>(_ union: ResolvedUpsert, _ model: Model) {
    let header = model._$header
    if header.pointee.rowID != union.row { tracker.recordAlias(header.pointee.rowID, as: union.row) }
    // `find` returns the object itself if a row of another program had both its row ID and its key.
    guard let known = tracker.find(union.row), known !== model else {
      tracker.rename(header, to: union.row)
      header.pointee.status = .stored
      header.pointee.changedMask = 0
      header.pointee.version = union.version
      return
    }
    let owner = unsafeDowncast(known, to: Model.self)
    let source = _RowSource(EntityWriter.values(of: model, tracker.layout))
    owner._$assign(_RowReader(source: source, layout: tracker.layout, problems: _RowProblems()), ~0)
    copyBoxedValues(from: model, to: owner)
    owner._$header.pointee.version = union.version
    tracker.detach(model)
    tracker.release(header, status: .stored)
    header.pointee.rowID = union.row
  }
}

extension _EntityTracker {
  /// Clears all pending changes.
  func clearPending() {
    inserted.removeAll()
    changed.removeAll()
    deleted.removeAll()
    deletedRows.removeAll()
    unchangedCount = 0
    dirtyMask = 0
    originalValues.removeAll()
    insertedIndexes.removeAll()
    invalidatePendingIndexes()
    discardRelationshipChanges()
    pendingPropagation.removeAll()
  }

  /// Records an alias, so that an identifier that was handed out still finds its row.
  func recordAlias(_ old: Int64, as row: Int64, isOccupied isTaken: Bool = false) {
    store.aliases.record(PersistentIdentifier.ID(identity: identity, key: old), as: row, isOccupied: isTaken)
  }
}

// MARK: - Relationships

extension EntityWriter {
  /// Unloads stale lists and the lists of upserted objects. Called before any object changes its row ID or leaves the context.
  func unloadStaleLists() {
    tracker.unloadStaleToManys()
    unloadUpsertedLists()
  }

  /// Updates foreign keys, and lists that the program has read, with the changed row IDs. Called after ``unloadStaleLists()`` of
  /// all entities, which records lists by the former row IDs of their members.
  func updateReferences() {
    var renamed = reassignedRowIDs
    for union in resolvedUpserts {
      let old = tracker.erased(union.object)._$header.pointee.rowID
      if old != union.row { renamed[old] = union.row }
    }
    if !renamed.isEmpty { tracker.core.updateReferences(renamed, tracker.layout) }
  }

  /// Removes deleted objects from the relationships of other objects. Called after all lists are settled.
  func detachDeleted() {
    guard tracker.layout.hasRelations else { return }
    for object in tracker.deleted { tracker.detach(tracker.erased(object)) }
  }

  /// Unloads the to-manys of inserts that were resolved to existing rows: the lists of the rows' own instances are loaded instead.
  private func unloadUpsertedLists() {
    for union in resolvedUpserts {
      let model = tracker.erased(union.object)
      for relationship in tracker.layout.relationships where relationship.isToMany {
        model._$applyChange(relationship.property, .objects(nil, generation: 0))
      }
    }
  }
}

extension _ContextCore {
  /// Invalidates lists after saves in which inserts were resolved to existing rows. The lists that contain these objects, and
  /// the rows' own lists, are loaded anew, and the observers of a list that changed are notified.
  func invalidateLists(after entityWriters: [EntityWriter]) {
    let united = entityWriters.filter { !$0.resolvedUpserts.isEmpty }.map(\.tracker.root)
    if united.isEmpty { return }
    relationMarks.markToManysStale()
    do {
      try notifyRelationshipObservers { tracker in united.contains { $0 === tracker } }
    } catch {
      Log.warning("Lists could not be read after a save, and are read when they are asked for. \(error)")
    }
  }
}

extension _ContextCore {
  /// Updates the foreign keys of pending objects that reference objects with changed row IDs. A stored row's unedited key is
  /// left unchanged: it references another program's row with the former row ID, if there is one.
  func updateReferences(_ renamed: [Int64: Int64], _ layout: _ModelLayout) {
    markAllRowsChanged()
    for tracker in trackers where !tracker.lastReadLists.isEmpty {
      tracker.lastReadLists.renumber(renamed, isOwner: tracker.layout.root === layout.root) { property in
        tracker.layout.relationship(property)?.destinationLayout.root === layout.root
      }
    }
    for tracker in trackers where !tracker.inserted.isEmpty || !tracker.changed.isEmpty {
      for relationship in tracker.layout.relationships
      where !relationship.isToMany && layout.inherits(from: relationship.destinationLayout) {
        for object in tracker.inserted + tracker.changed {
          let model = tracker.erased(object)
          guard let row = renamed[model._$foreignKey(relationship.property)] else { continue }
          if !model._$header.pointee.status.contains(.inserted), !tracker.hasChangedForeignKey(model, relationship) {
            continue
          }
          model._$applyChange(relationship.property, .foreignKey(row))
          tracker.insertedIndexes.invalidate(relationship.bit)
        }
      }
    }
  }
}

extension _EntityTracker {
  /// Calls the body with every live instance.
  func forEachInstance(_ body: (any PersistentModel) -> Void) {
    instanceCount.pointee.lock.lock()
    var addresses: [UnsafeMutableRawPointer] = []
    identityMap.pointee.visit { addresses.append($0) }
    let retained = addresses.compactMap { swift_tryRetain($0) }
    instanceCount.pointee.lock.unlock()
    let objects = retained.map { Unmanaged<AnyObject>.fromOpaque($0).takeRetainedValue() }
    for object in objects where topmost == nil || layout.isInstance(object) { body(erased(object)) }
  }
}
