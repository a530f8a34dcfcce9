extension EntitySaving {
  /// Brings the objects in step with what was committed.
  func settle() { settle(state.layout.type) }

  private func settle<Model: PersistentModel>(_ type: Model.Type) {
    let inserted = state.inserted
    let changed = state.changed
    let deleted = state.deleted
    let united = Set(unions.map { ObjectIdentifier($0.object) })

    for object in changed {
      let header = unsafeDowncast(object, to: Model.self)._$header
      header.pointee.status.remove(.changed)
      header.pointee.changed = 0
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
      header.pointee.version = 1
    }
    state.clearPending()
    for union in unions { settle(union, unsafeDowncast(union.object, to: Model.self)) }
    for object in deleted { state.release(unsafeDowncast(object, to: Model.self)._$header, status: .gone) }
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
    owner._$header.pointee.version = union.version
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
    dirtyMask = 0
    undo.removeAll()
    pending.removeAll()
  }

  /// Keeps an identifier that was handed out findable.
  func remember(_ old: Int64, as row: Int64) {
    core.store.aliases.remember(PersistentIdentifier.ID(identity: identity, key: old), as: row)
  }
}
