import LarderSupport

// A deletion that is undone in two contexts: each brings the row back, under the number that it had, and there is one such row.
// The insert that is saved last becomes an edit of the row that the other context has saved.

extension ReturnedRows {
  /// Whether an insert and a stored row bring the same row back. A row that another program has made under that number has a
  /// version from before ``distance``.
  static func isSame(_ header: UnsafeMutablePointer<ModelHeader.Fields>, _ version: Int64) -> Bool {
    header.pointee.status.contains(.inserted) && version >= distance && header.pointee.version < 0
      && header.pointee.version != StoreFormat.noVersion
  }
}

extension EntityState {
  /// Makes an object that was to be inserted again the object of its row, which others have inserted again.
  ///
  /// What it has and the row has not are edits, unless the merge policy lets the stored value win. With ``MergePolicy/error``
  /// the next save says that there are two.
  ///
  /// - Parameter stored: An object of what the row has by now, in no context.
  func meet<Model: PersistentModel>(_ model: Model, _ stored: Model, _ reader: borrowing RowReader, _ version: Int64) {
    let header = model._$header
    let mine = ObjectColumns.current(model, layout)
    let relations = layout.relations.map { ($0, model._$relation($0.property)) }
    // What is not stored at all stays as it is.
    let beside = layout.propertiesBesideRows.filter { !$0.placement.isEphemeral }
    let values = beside.map { ($0, model._$relation($0.index)) }
    // See ``HeldUntilDone``.
    defer { withExtendedLifetime((relations, values)) {} }
    core.touch(header.pointee.rowID, self)
    inserted.removeInstance(model)
    pending.removeAll()
    pendingEnded()
    header.pointee.status = .stored
    header.pointee.changed = 0
    header.pointee.version = version
    let storeWins = core.mergePolicy == .mergeByPropertyStoreTrump
    // A to-one that leads nowhere here has lost what it led to, and nobody has set it.
    let follows = { (key: Int64) in storeWins || key == 0 }
    let moves = moves(of: model, to: stored).filter { follows($0.former) }
    model._$assign(reader, ~0)
    for (property, _) in values { model._$change(property.index, .held(nil)) }
    for (relation, value) in relations {
      switch (relation.form, value) {
      case (.key, .one(let key, _)):
        let now = stored._$key(relation.property)
        model._$change(relation.property, .key(now))
        if follows(key) || key == now { continue }
        observe(model, relation) { model._$change(relation.property, .key(key)) }
      case (.key, _): continue
      case (.mirror, _) where !relation.isToMany: model._$change(relation.property, .key(ToOneKey.unknown))
      case (.mirror, _): unloadShown(model, relation.property)
      case (.link, .many(let members?)):
        unloadShown(model, relation.property)
        if storeWins { continue }
        for member in members { noteLink(model, relation, added: member) }
      case (.link, _): continue
      }
    }
    for move in moves { follow(move, of: model) }
    if !storeWins { editAgain(model, mine, values) }
    if core.mergePolicy == .error, header.pointee.status.contains(.changed) {
      // As an edit of what others have changed since.
      header.pointee.version = version &- 1
      leaveBehind(header.pointee.rowID)
    }
    if !core.hasChanges { core.changesEnded() }
  }

  private func editAgain(
    _ model: any PersistentModel, _ mine: [StoredValue], _ values: [(PropertyLayout, RelationValue)]
  ) {
    ObjectColumns.assign(ObjectColumns.attributes(mine, layout), to: model, self)
    for case (let property, .held(let value?)) in values {
      if let now = ObjectColumns.stored(model, property), property.codec.isSame(held: now, value) { continue }
      noteHeld(model, property.index)
      observe(model, property.index) {
        if model._$header.pointee.changed & property.bit == 0 { model._$willWrite(property.index) }
        model._$change(property.index, .held(value))
      }
    }
  }
}
