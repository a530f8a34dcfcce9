internal import CLarderData
internal import LarderSupport

extension EntityWriter {
  /// Brings the objects in step with what was committed.
  func applyCommit() { applyCommit(tracker.layout.type) }

  private func applyCommit<Model: PersistentModel>(_ type: Model.Type) {
    let inserted = tracker.inserted.prefix(insertedCount)
    let late = tracker.inserted.dropFirst(insertedCount)
    let changed = tracker.changed
    let deleted = tracker.deleted
    let united = Set(resolvedUpserts.map { ObjectIdentifier($0.object) })
    let edits = reentrantEdits?.unsavedEdits(of: self) ?? []
    // Those of them that were not to be saved have the version that they had.
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
    // Wait for the next save.
    tracker.inserted = Array(late)
    tracker.restorePending(edits)
    for union in resolvedUpserts { applyUpsert(union, unsafeDowncast(union.object, to: Model.self)) }
    for object in deleted {
      let model = unsafeDowncast(object, to: Model.self)
      tracker.release(model._$header, status: .rowMissing)
    }
  }

  /// Which instance is the row's from now on: the one that the context already had, with the new values; else the
  /// inserted one.
  private func applyUpsert<Model: PersistentModel>(_ union: ResolvedUpsert, _ model: Model) {
    let header = model._$header
    if header.pointee.rowID != union.row { tracker.recordAlias(header.pointee.rowID, as: union.row) }
    // The object itself is found where a row of another program had both its identifier and its key.
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
  /// Nothing is pending any more.
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

  /// Keeps an identifier that was handed out findable.
  func recordAlias(_ old: Int64, as row: Int64, isOccupied isTaken: Bool = false) {
    store.aliases.record(PersistentIdentifier.ID(identity: identity, key: old), as: row, isOccupied: isTaken)
  }
}

// MARK: - Relationships

extension EntityWriter {
  /// Before any object changes its row or leaves: lists that are outdated, and those of inserts that met rows, are to be loaded.
  func unloadStaleLists() {
    tracker.unloadStaleToManys()
    unloadUpsertedLists()
  }

  /// After ``unloadStaleLists()`` of all models, which notes lists by the rows that their members had: keys, and lists that the
  /// program was shown, follow rows that became others.
  func updateReferences() {
    var renamed = reassignedRowIDs
    for union in resolvedUpserts {
      let old = tracker.erased(union.object)._$header.pointee.rowID
      if old != union.row { renamed[old] = union.row }
    }
    if !renamed.isEmpty { tracker.core.updateReferences(renamed, tracker.layout) }
  }

  /// After all lists have been settled: what goes takes along what it was related to.
  func detachDeleted() {
    guard tracker.layout.hasRelations else { return }
    for object in tracker.deleted { tracker.detach(tracker.erased(object)) }
  }

  /// Inserted objects turned out to be rows that are there: lists of the rows' own instances are loaded.
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
  /// Inserted objects turned out to be rows that are there, in some saves: the lists that they are in, and the rows' own,
  /// are loaded anew, and who observes one is told if it has become another.
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
  /// Has what leads to pending objects lead to them still when they have other numbers. What a row itself leads to is
  /// another program's row of the former number, if there is one.
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
  /// Every instance that is alive.
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
