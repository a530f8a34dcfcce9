internal import CLarderData
internal import LarderSupport

extension EntitySaving {
  /// Brings the objects in step with what was committed.
  func settle() { settle(state.layout.type) }

  private func settle<Model: PersistentModel>(_ type: Model.Type) {
    let inserted = state.inserted.prefix(insertedCount)
    let late = state.inserted.dropFirst(insertedCount)
    let changed = state.changed
    let deleted = state.deleted
    let united = Set(unions.map { ObjectIdentifier($0.object) })
    let edits = lateEdits?.pending(of: self) ?? []
    // Those of them that were not to be saved have the version that they had.
    let unwritten = Set(
      edits.filter { lateEdits?.hasWritten($0.model._$header) == false }.map { ObjectIdentifier($0.model) })

    for object in changed {
      let header = unsafeDowncast(object, to: Model.self)._$header
      let isWritten =
        header.pointee.changed & state.layout.storedMask != 0
        && (unwritten.isEmpty || !unwritten.contains(ObjectIdentifier(object)))
      header.pointee.status.remove(.edited)
      header.pointee.changed = 0
      if !isWritten { continue }
      header.pointee.version = versions[header.pointee.rowID] ?? header.pointee.version + 1
    }
    for object in inserted where united.isEmpty || !united.contains(ObjectIdentifier(object)) {
      let header = unsafeDowncast(object, to: Model.self)._$header
      if !redrawn.isEmpty, let row = redrawn[header.pointee.rowID] {
        state.remember(header.pointee.rowID, as: row)
        state.rename(header, to: row)
      }
      header.pointee.status = .stored
      header.pointee.changed = 0
      header.pointee.version = versions.isEmpty ? 1 : versions[header.pointee.rowID] ?? 1
    }
    state.clearPending()
    // Wait for the next save.
    state.inserted = Array(late)
    state.keepPending(edits)
    for union in unions { settle(union, unsafeDowncast(union.object, to: Model.self)) }
    for object in deleted {
      let model = unsafeDowncast(object, to: Model.self)
      state.release(model._$header, status: .gone)
    }
  }

  /// Which instance is the row's from now on: the one that the context already had, with the new values; else the
  /// inserted one.
  private func settle<Model: PersistentModel>(_ union: Union, _ model: Model) {
    let header = model._$header
    if header.pointee.rowID != union.row { state.remember(header.pointee.rowID, as: union.row) }
    // The object itself is found where a row of another program had both its identifier and its key.
    guard let known = state.find(union.row), known !== model else {
      state.rename(header, to: union.row)
      header.pointee.status = .stored
      header.pointee.changed = 0
      header.pointee.version = union.version
      return
    }
    let owner = unsafeDowncast(known, to: Model.self)
    let source = RowSource(EntitySaving.values(of: model, state.layout))
    owner._$assign(RowReader(source: source, layout: state.layout, problems: RowProblems()), ~0)
    settleHeld(model, in: owner)
    owner._$header.pointee.version = union.version
    state.detach(model)
    state.release(header, status: .stored)
    header.pointee.rowID = union.row
  }
}

extension EntityState {
  /// Nothing is pending any more.
  func clearPending() {
    inserted.removeAll()
    changed.removeAll()
    deleted.removeAll()
    deletedRows.removeAll()
    unchanged = 0
    dirtyMask = 0
    undo.removeAll()
    pending.removeAll()
    pendingEnded()
    forgetRelationChanges()
    unspread.removeAll()
  }

  /// Keeps an identifier that was handed out findable.
  func remember(_ old: Int64, as row: Int64, isTaken: Bool = false) {
    store.aliases.remember(PersistentIdentifier.ID(identity: identity, key: old), as: row, isTaken: isTaken)
  }
}

// MARK: - Relationships

extension EntitySaving {
  /// Before any object changes its row or leaves: lists that are outdated, and those of inserts that met rows, are to be loaded.
  func unloadLists() {
    state.unloadOutdatedLists()
    unloadMembers()
  }

  /// After ``unloadLists()`` of all models, which notes lists by the rows that their members had: keys, and lists that the
  /// program was shown, follow rows that became others.
  func renameRows() {
    var renamed = redrawn
    for union in unions {
      let old = state.erased(union.object)._$header.pointee.rowID
      if old != union.row { renamed[old] = union.row }
    }
    if !renamed.isEmpty { state.core.rekey(renamed, state.layout) }
  }

  /// After all lists have been settled: what goes takes along what it was related to.
  func settleLeaving() {
    guard state.layout.hasRelations else { return }
    for object in state.deleted { state.detach(state.erased(object)) }
  }

  /// Inserted objects turned out to be rows that are there: lists of the rows' own instances are loaded.
  private func unloadMembers() {
    for union in unions {
      let model = state.erased(union.object)
      for relation in state.layout.relations where relation.isToMany {
        model._$change(relation.property, .objects(nil, generation: 0))
      }
    }
  }
}

extension ContextCore {
  /// Inserted objects turned out to be rows that are there, in some saves: the lists that they are in, and the rows' own,
  /// are loaded anew, and who observes one is told if it has become another.
  func settleLists(after savings: [EntitySaving]) {
    let united = savings.filter { !$0.unions.isEmpty }.map(\.state.root)
    if united.isEmpty { return }
    relationMarks.listsOutdated()
    do {
      try tellObserversOfRelations { state in united.contains { $0 === state } }
    } catch {
      Log.warning("Lists could not be read after a save, and are read when they are asked for. \(error)")
    }
  }
}

extension ContextCore {
  /// Has what leads to pending objects lead to them still when they have other numbers. What a row itself leads to is
  /// another program's row of the former number, if there is one.
  func rekey(_ renamed: [Int64: Int64], _ layout: ModelLayout) {
    touchAll()
    for state in known where !state.shownLists.isEmpty {
      state.shownLists.rename(renamed, isOwner: state.layout.root === layout.root) { property in
        state.layout.relation(property)?.destinationLayout.root === layout.root
      }
    }
    for state in known where !state.inserted.isEmpty || !state.changed.isEmpty {
      for relation in state.layout.relations
      where !relation.isToMany && layout.inherits(from: relation.destinationLayout) {
        for object in state.inserted + state.changed {
          let model = state.erased(object)
          guard let row = renamed[model._$key(relation.property)] else { continue }
          if !model._$header.pointee.status.contains(.inserted), !state.isMoved(model, relation) { continue }
          model._$change(relation.property, .key(row))
          state.pending.invalidate(relation.bit)
        }
      }
    }
  }
}

extension EntityState {
  /// Every instance that is alive.
  func forEachInstance(_ body: (any PersistentModel) -> Void) {
    live.pointee.lock.lock()
    var addresses: [UnsafeMutableRawPointer] = []
    instances.pointee.visit { addresses.append($0) }
    let retained = addresses.compactMap { swift_tryRetain($0) }
    live.pointee.lock.unlock()
    let objects = retained.map { Unmanaged<AnyObject>.fromOpaque($0).takeRetainedValue() }
    for object in objects where topmost == nil || layout.isInstance(object) { body(erased(object)) }
  }
}
