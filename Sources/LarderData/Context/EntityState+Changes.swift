import LarderSupport

extension EntityState {
  /// Enters a new object. Its identifier is permanent from here on.
  package func insert<Model: PersistentModel>(_ model: Model) {
    core.changeBegan()
    let header = model._$header
    header.pointee.formerIdentity = nil
    header.pointee.version = StoreFormat.noVersion
    header.pointee.status = .inserted
    header.pointee.changed = ~0
    register(core.backed.takeGivenRow(of: model) ?? freeIdentifier(), model, header)
    inserted.append(model)
  }

  /// The next identifier that no instance of this context has: a row that another program made may have it by now.
  func freeIdentifier() -> Int64 {
    while true {
      let row = store.nextIdentifier()
      if find(row) == nil { return row }
    }
  }

  /// Notes the first change of a property since the last save.
  package func willWrite<Model: PersistentModel>(_ model: Model, _ property: Int) {
    let header = model._$header
    let bit = ModelLayout.bit(property)
    if header.pointee.status.contains(.inserted) {
      pending.invalidate(bit)
      for object in inserted { unsafeDowncast(object, to: Model.self)._$header.pointee.changed |= bit }
      core.pendingChanged()
      return
    }
    guard header.pointee.status.contains(.stored), header.pointee.changed & bit == 0 else { return }
    // It may be in the list still, of edits that have ended.
    if hasUnchanged, !header.pointee.status.contains(.changed) { dropUnchanged() }
    guard let former = collectFormer(model, header, bit) else { return }
    // An observer that was told of this change may have rolled back, or saved, what was noted of it before.
    if !layout.propertiesBesideRows.isEmpty, !layout.properties[property].placement.isRow { noteHeld(model, property) }
    note(model, header, bit, from: former)
  }

  /// Enters a property's first change since the last save, and what it held: in the log's sink, from a place on.
  @inline(__always)
  private func note(
    _ model: AnyObject, _ header: UnsafeMutablePointer<ModelHeader.Fields>, _ bit: UInt64, from former: Int
  ) {
    if !header.pointee.status.contains(.changed) {
      core.changeBegan()
      header.pointee.status.insert(.changed)
      changed.append(model)
      header.pointee.place = Int32(truncatingIfNeeded: changed.count - 1)
    } else {
      uncountedCore._withUnsafeGuaranteedRef { $0.pendingChanged() }
    }
    undo.append(object: Int(header.pointee.place), bit: bit, from: former)
    header.pointee.changed |= bit
    dirtyMask |= bit
  }

  /// Whether a property's first change since the last save may be noted with the one value that it holds.
  @usableFromInline
  func mayNoteFormer(of header: UnsafeMutablePointer<ModelHeader.Fields>, _ property: Int) -> Bool {
    let status = header.pointee.status
    return status.contains(.stored) && !status.contains(.inserted) && layout.propertiesBesideRows.isEmpty
      && !ModelLayout.sharesBit(property) && (!hasUnchanged || status.contains(.changed))
  }

  /// Notes it, where ``mayNoteFormer(of:_:)`` says so.
  @usableFromInline
  func note(
    _ former: StoredValue, of model: AnyObject, _ header: UnsafeMutablePointer<ModelHeader.Fields>, _ property: Int
  ) {
    let first = undo.sink.values.count
    undo.sink.values.append(former)
    note(model, header, ModelLayout.bit(property), from: first)
  }

  /// Gives the log's sink what a property holds. The `encode(to:)` of a user's own type may do anything meanwhile.
  ///
  /// - Returns: Where it begins; nil if the property's first change has been noted by now, or need not be.
  private func collectFormer<Model: PersistentModel>(
    _ model: Model, _ header: UnsafeMutablePointer<ModelHeader.Fields>, _ bit: UInt64
  ) -> Int? {
    let sink = undo.sink
    func bind(to sink: RowSink) {
      var binder = RowBinder(sink: sink, layout: layout)
      model._$bind(&binder, bit)
    }
    let entries = undo.entries.count
    let first = sink.values.count
    bind(to: sink)
    if undo.entries.count == entries, sink.values.count >= first { return first }
    // It has edited or saved something: other values lie among these. Apart from them they are collected once more.
    let own = RowSink()
    bind(to: own)
    guard header.pointee.status.contains(.stored), header.pointee.changed & bit == 0 else { return nil }
    sink.values += own.values
    return sink.values.count - own.values.count
  }

  /// Marks an object as deleted, or forgets it if it was never saved.
  package func delete<Model: PersistentModel>(_ model: Model) {
    let header = model._$header
    if header.pointee.status.contains(.inserted) {
      if !header.pointee.status.contains(.deleted) { discard(model) }
      return
    }
    guard header.pointee.status.contains(.stored), !header.pointee.status.contains(.deleted) else { return }
    core.changeBegan()
    header.pointee.status.insert(.deleted)
    deletedRows.insert(header.pointee.rowID)
    deleted.append(model)
    noteDeletion(of: header.pointee.rowID)
  }

  /// Lets an object go that was never saved.
  private func discard<Model: PersistentModel>(_ model: Model) {
    let header = model._$header
    core.pendingChanged()
    if isRelated {
      // Related objects must know while it can still be found; see ``ContextCore/discharge()``.
      header.pointee.status.insert(.deleted)
      core.relations.departing.append(model)
      noteDeletion(of: header.pointee.rowID)
      return
    }
    if let place = inserted.lastIndex(where: { $0 === model }) {
      inserted.remove(at: place)
      pending.removeAll()
    }
    release(header, status: [])
    if !core.hasChanges { core.changesEnded() }
  }

  /// Whether this model has relationships, or others have some to it.
  var isRelated: Bool { layout.hasRelations || !core.container.incoming(layout).isEmpty }

  /// Somebody asks for the deletion of a row: it does not come back with another.
  func insist(on row: Int64) {
    if isRelated { core.relations.consequences.insist(on: RowPlace(self, row)) }
  }

  /// Has the deletion carried to related objects before anything is next read.
  func noteDeletion(of row: Int64) {
    guard isRelated else { return }
    unspread.append(row)
    core.relationMarks.deletionBegan()
  }

  /// Marks an object whose row was deleted before it was loaded.
  func markDeleted(_ model: any PersistentModel) {
    let header = model._$header
    guard !header.pointee.status.contains(.deleted) else { return }
    header.pointee.status.insert(.deleted)
    deleted.append(model)
  }
}
