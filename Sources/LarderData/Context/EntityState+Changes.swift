import LarderSQLite
public import LarderSupport

extension EntityState {
  /// Enters a new object. Its identifier is permanent from here on.
  package func insert<Model: PersistentModel>(_ model: Model) {
    let core = core
    core.changeBegan()
    let header = model._$header
    header.pointee.formerIdentity = nil
    header.pointee.version = StoreFormat.noVersion
    header.pointee.status = .inserted
    header.pointee.changed = ~0
    register(
      core.mode.takeGivenRow(of: model) ?? freeIdentifier(), Unmanaged.passUnretained(model).toOpaque(), header)
    header.pointee.place = Int32(truncatingIfNeeded: inserted.count)
    inserted.append(model)
  }

  /// The next identifier that no instance of this context has: a row that another program made may have it by now.
  func freeIdentifier() -> Int64 {
    while true {
      let row = store.nextIdentifier()
      if !hasInstance(row) { return row }
    }
  }

  /// Notes the first change of a property since the last save.
  package func willWrite<Model: PersistentModel>(_ model: Model, _ property: Int) {
    let header = model._$header
    let bit = ModelLayout.bit(property)
    if header.pointee.status.contains(.inserted) {
      pending.invalidate(bit)
      if let late = core.lateEdits {
        let former = collect(model, bit)
        header.pointee.changed |= bit
        late.note(former, ofInserted: header, bit)
        return core.pendingChanged()
      }
      for object in inserted { unsafeDowncast(object, to: Model.self)._$header.pointee.changed |= bit }
      core.pendingChanged()
      return
    }
    guard header.pointee.status.contains(.stored), header.pointee.changed & bit == 0 else { return }
    // It may be in the list still, of edits that have ended.
    if hasUnchanged, !header.pointee.status.contains(.changed) { dropUnchanged() }
    guard var former = collectFormer(model, header, bit) else { return }
    if layout.objectMask & bit != 0 { putStored(into: &former, header.pointee.rowID, bit) }
    // An observer that was told of this change may have rolled back, or saved, what was noted of it before.
    if !layout.propertiesBesideRows.isEmpty, !layout.properties[property].placement.isRow { noteHeld(model, property) }
    let object = enter(model, header)
    undo.append(object: object, bit: bit, former)
    noted(bit, header)
  }

  /// Notes the first change of a property with the one value that it holds, where that may be: for most properties, without
  /// asking the object for it.
  @inline(__always)
  @inlinable
  func noteFormer<Value: ColumnValue>(
    _ value: Value, of model: AnyObject, _ header: UnsafeMutablePointer<ModelHeader.Fields>, _ property: Int
  ) -> Bool {
    guard property < ModelLayout.lastBit, mayNoteFormer(of: header), let former = try? value._stored() else {
      return false
    }
    // Nothing of a user's has run meanwhile: the types of columns are the package's own choice.
    note(former, of: model, header, ModelLayout.bit(property))
    return true
  }

  @usableFromInline
  func mayNoteFormer(of header: UnsafeMutablePointer<ModelHeader.Fields>) -> Bool {
    let status = header.pointee.status
    return status.contains(.stored) && !status.contains(.inserted) && layout.propertiesBesideRows.isEmpty
      && (!hasUnchanged || status.contains(.changed))
  }

  @usableFromInline
  func note(
    _ former: StoredValue, of model: AnyObject, _ header: UnsafeMutablePointer<ModelHeader.Fields>, _ bit: PropertyMask
  ) {
    let object = enter(model, header)
    undo.append(object: object, bit: bit, former)
    noted(bit, header)
  }

  /// Has an object among the changed ones, and returns its place there.
  @inline(__always)
  private func enter(_ model: AnyObject, _ header: UnsafeMutablePointer<ModelHeader.Fields>) -> Int32 {
    let place: Int32
    if header.pointee.status.contains(.changed) {
      place = header.pointee.place
      // Asked here as well, which for most contexts is all, and no call.
      uncountedCore._withUnsafeGuaranteedRef { $0.pendingChanged() }
    } else {
      place = Int32(truncatingIfNeeded: changed.count)
      header.pointee.status.insert(.changed)
      header.pointee.place = place
      changed.append(model)
      // Last, as it may let go of who observes, and by that of models, whose own `deinit` edits this one perhaps.
      uncountedCore._withUnsafeGuaranteedRef { $0.changeBegan() }
    }
    return place
  }

  @inline(__always)
  private func noted(_ bit: PropertyMask, _ header: UnsafeMutablePointer<ModelHeader.Fields>) {
    header.pointee.changed |= bit
    dirtyMask |= bit
  }

  private static var mostCollections: Int { 8 }

  /// What a property holds, by its columns. The `encode(to:)` of a user's own type may do anything meanwhile.
  ///
  /// - Returns: nil if the property's first change has been noted by now, or need not be.
  private func collectFormer<Model: PersistentModel>(
    _ model: Model, _ header: UnsafeMutablePointer<ModelHeader.Fields>, _ bit: PropertyMask
  ) -> [StoredValue]? {
    var generation = undo.generation
    var former = collect(model, bit)
    // It has edited or saved something, and that may have been this property. One that does so each time is not waited for.
    for _ in 0..<EntityState.mostCollections where undo.generation != generation {
      generation = undo.generation
      former = collect(model, bit)
    }
    guard header.pointee.status.contains(.stored), header.pointee.changed & bit == 0 else { return nil }
    return former
  }

  /// What an object within a property's value was changed to is not what the row has, to which a rollback leads back.
  private func putStored(into former: inout [StoredValue], _ row: Int64, _ bit: PropertyMask) {
    let columns = layout.columns(in: bit)
    guard columns.count == former.count, !columns.isEmpty else { return }
    let names = columns.map { StoreFormat.quoted($0.name) }.joined(separator: ", ")
    let sql = "SELECT \(names) FROM \(statements.table) WHERE \(StoreFormat.identifierColumn) = ?1"
    // Where the row cannot be read, what the object holds is all that is known.
    let stored = try? session.read { connection in
      try connection.withStatement(for: sql) { statement -> [StoredValue]? in
        statement.bind(1, row)
        guard try statement.step() else { return nil }
        let reader = RowReader(statement: statement.handle, layout: layout, problems: RowProblems())
        return columns.indices.map { reader.stored($0) }
      }
    }
    guard let stored else { return }
    for (place, column) in columns.enumerated() where layout.properties[column.property].codec.objects != .never {
      former[place] = stored[place]
    }
  }

  private func collect<Model: PersistentModel>(_ model: Model, _ bit: PropertyMask) -> [StoredValue] {
    StoredColumns(of: model, layout, bit).values
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
    core.touch(header.pointee.rowID, self)
    deleted.append(model)
    noteDeletion(of: header.pointee.rowID)
  }

  /// Lets an object go that was never saved.
  private func discard<Model: PersistentModel>(_ model: Model) {
    let header = model._$header
    core.touch(header.pointee.rowID, self)
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
