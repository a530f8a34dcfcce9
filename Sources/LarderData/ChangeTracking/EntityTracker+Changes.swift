import LarderSQLite
public import LarderSupport

extension _EntityTracker {
  /// Registers a new object, and assigns its row ID, which is permanent.
  package func insert<Model: PersistentModel>(_ model: Model) {
    let core = core
    core.willChange()
    let header = model._$header
    header.pointee.previousIdentity = nil
    header.pointee.version = StoreFormat.unknownVersion
    header.pointee.status = .inserted
    header.pointee.changedMask = ~0
    register(
      core.options.removePreassignedRowID(of: model) ?? unusedIdentifier(), Unmanaged.passUnretained(model).toOpaque(),
      header)
    header.pointee.changedIndex = Int32(truncatingIfNeeded: inserted.count)
    inserted.append(model)
  }

  /// Returns the next row ID that no instance of this context has: another program may have inserted a row under one.
  func unusedIdentifier() -> Int64 {
    while true {
      let row = store.nextIdentifier()
      if !hasInstance(row) { return row }
    }
  }

  /// Records the first change of a property since the last save.
  package func willChangeProperty<Model: PersistentModel>(_ model: Model, _ property: Int) {
    let header = model._$header
    let bit = _ModelLayout.bit(property)
    if header.pointee.status.contains(.inserted) {
      insertedIndexes.invalidate(bit)
      if let late = core.reentrantEdits {
        let former = columnValues(model, bit)
        header.pointee.changedMask |= bit
        late.record(former, ofInserted: header, bit)
        return core.pendingObjectsDidChange()
      }
      for object in inserted { unsafeDowncast(object, to: Model.self)._$header.pointee.changedMask |= bit }
      core.pendingObjectsDidChange()
      return
    }
    guard header.pointee.status.contains(.stored), header.pointee.changedMask & bit == 0 else { return }
    // The object may still be in the list, because of edits that have ended.
    if hasUnchanged, !header.pointee.status.contains(.changed) { removeUnchanged() }
    guard var former = collectOriginalValues(model, header, bit) else { return }
    if layout.referenceMask & bit != 0 { readStoredValues(into: &former, header.pointee.rowID, bit) }
    // An observer of this change may have rolled back or saved the original values that were recorded before.
    if !layout.outOfRowProperties.isEmpty, !layout.properties[property].placement.isRow {
      recordOriginalBoxedValue(model, property)
    }
    let object = addToChanged(model, header)
    originalValues.append(objectIndex: object, bit: bit, former)
    setChangedBit(bit, header)
  }

  /// Records the original value at the first change of a property, from the value that the caller passes, if possible. For most
  /// properties this does not read the object.
  @inline(__always)
  @inlinable
  func recordOriginalValue<Value: _ColumnValue>(
    _ value: Value, of model: AnyObject, _ header: UnsafeMutablePointer<_ModelHeader.Fields>, _ property: Int
  ) -> Bool {
    guard property < _ModelLayout.lastBit, canRecordOriginalValue(of: header), let former = try? value._stored() else {
      return false
    }
    // No user code has run meanwhile: the types of columns are the package's own.
    appendOriginalValue(former, of: model, header, _ModelLayout.bit(property))
    return true
  }

  @usableFromInline
  func canRecordOriginalValue(of header: UnsafeMutablePointer<_ModelHeader.Fields>) -> Bool {
    let status = header.pointee.status
    return status.contains(.stored) && !status.contains(.inserted) && layout.outOfRowProperties.isEmpty
      && (!hasUnchanged || status.contains(.changed))
  }

  @usableFromInline
  func appendOriginalValue(
    _ former: _StoredValue, of model: AnyObject, _ header: UnsafeMutablePointer<_ModelHeader.Fields>,
    _ bit: _PropertyMask
  ) {
    let object = addToChanged(model, header)
    originalValues.append(objectIndex: object, bit: bit, former)
    setChangedBit(bit, header)
  }

  /// Adds an object to the changed ones if necessary, and returns its position there.
  @inline(__always)
  private func addToChanged(_ model: AnyObject, _ header: UnsafeMutablePointer<_ModelHeader.Fields>) -> Int32 {
    let place: Int32
    if header.pointee.status.contains(.changed) {
      place = header.pointee.changedIndex
      // Checked here as well: for most contexts this check is all, without a call.
      unretainedCore._withUnsafeGuaranteedRef { $0.pendingObjectsDidChange() }
    } else {
      place = Int32(truncatingIfNeeded: changed.count)
      header.pointee.status.insert(.changed)
      header.pointee.changedIndex = place
      changed.append(model)
      // Last, as the call may release observers, and thereby models whose own `deinit` may edit this object.
      unretainedCore._withUnsafeGuaranteedRef { $0.willChange() }
    }
    return place
  }

  @inline(__always)
  private func setChangedBit(_ bit: _PropertyMask, _ header: UnsafeMutablePointer<_ModelHeader.Fields>) {
    header.pointee.changedMask |= bit
    dirtyMask |= bit
  }

  private static var maximumCollectionAttempts: Int { 8 }

  /// Returns a property's values, by its columns. The `encode(to:)` of a user's own type may run any code meanwhile.
  ///
  /// - Returns: `nil` if the property's first change has been recorded meanwhile, or need not be.
  private func collectOriginalValues<Model: PersistentModel>(
    _ model: Model, _ header: UnsafeMutablePointer<_ModelHeader.Fields>, _ bit: _PropertyMask
  ) -> [_StoredValue]? {
    var generation = originalValues.generation
    var former = columnValues(model, bit)
    // The type's coding has edited or saved a model, perhaps this property. Limit the attempts, as it may do so each time.
    for _ in 0..<_EntityTracker.maximumCollectionAttempts where originalValues.generation != generation {
      generation = originalValues.generation
      former = columnValues(model, bit)
    }
    guard header.pointee.status.contains(.stored), header.pointee.changedMask & bit == 0 else { return nil }
    return former
  }

  /// Reads the row's values of a property whose value holds an object that was changed: a rollback restores the row's values.
  private func readStoredValues(into former: inout [_StoredValue], _ row: Int64, _ bit: _PropertyMask) {
    let columns = layout.columns(in: bit)
    guard columns.count == former.count, !columns.isEmpty else { return }
    let names = columns.map { StoreFormat.quoted($0.name) }.joined(separator: ", ")
    let sql = "SELECT \(names) FROM \(statements.table) WHERE \(StoreFormat.identifierColumn) = ?1"
    // If the row cannot be read, the object's values are used.
    let stored = try? session.read { connection in
      try connection.withStatement(for: sql) { statement -> [_StoredValue]? in
        statement.bind(1, row)
        guard try statement.step() else { return nil }
        let reader = _RowReader(statement: statement.handle, layout: layout, problems: _RowProblems())
        return columns.indices.map { reader.storedValue($0) }
      }
    }
    guard let stored else { return }
    for (place, column) in columns.enumerated() where layout.properties[column.property].codec.references != .never {
      former[place] = stored[place]
    }
  }

  private func columnValues<Model: PersistentModel>(_ model: Model, _ bit: _PropertyMask) -> [_StoredValue] {
    StoredColumns(of: model, layout, bit).values
  }

  /// Marks an object as deleted, or discards it if it was never saved.
  package func delete<Model: PersistentModel>(_ model: Model) {
    let header = model._$header
    if header.pointee.status.contains(.inserted) {
      if !header.pointee.status.contains(.deleted) { discard(model) }
      return
    }
    guard header.pointee.status.contains(.stored), !header.pointee.status.contains(.deleted) else { return }
    core.willChange()
    header.pointee.status.insert(.deleted)
    deletedRows.insert(header.pointee.rowID)
    core.markRowChanged(header.pointee.rowID, self)
    deleted.append(model)
    schedulePropagation(of: header.pointee.rowID)
  }

  /// Discards an object that was never saved.
  private func discard<Model: PersistentModel>(_ model: Model) {
    let header = model._$header
    core.markRowChanged(header.pointee.rowID, self)
    core.pendingObjectsDidChange()
    if isRelated {
      // Related objects must be updated while it can still be found; see ``_ContextCore/discardDeletedInserts()``.
      header.pointee.status.insert(.deleted)
      core.relationships.discardedInserts.append(model)
      schedulePropagation(of: header.pointee.rowID)
      return
    }
    if let place = inserted.lastIndex(where: { $0 === model }) {
      inserted.remove(at: place)
      insertedIndexes.removeAll()
    }
    release(header, status: [])
    if !core.hasChanges { core.didClearChanges() }
  }

  /// Whether this entity has relationships, or is the destination of relationships.
  var isRelated: Bool { layout.hasRelations || !core.container.incomingRelations(of: layout).isEmpty }

  /// Records an explicit deletion of a row: the row is not restored together with another row.
  func recordExplicitDeletion(of row: Int64) {
    if isRelated { core.relationships.propagationLog.recordExplicitDeletion(of: RowKey(self, row)) }
  }

  /// Schedules the propagation of the deletion to related objects, which runs before the next read.
  func schedulePropagation(of row: Int64) {
    guard isRelated else { return }
    pendingPropagation.append(row)
    core.relationMarks.beginPropagation()
  }

  /// Marks an object as deleted whose row was deleted before the object was loaded.
  func markDeleted(_ model: any PersistentModel) {
    let header = model._$header
    guard !header.pointee.status.contains(.deleted) else { return }
    header.pointee.status.insert(.deleted)
    deleted.append(model)
  }
}
