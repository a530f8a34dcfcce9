import LarderSQLite
import LarderSupport

extension EntityWriter {
  /// Writes the external values after their rows, in the same transaction.
  ///
  /// If an insert was resolved to an existing row and changes only such a value, the row's version changes, too, so that
  /// other contexts notice the change.
  func writeExternalValues() throws {
    let properties = tracker.layout.outOfRowProperties.filter { $0.placement.external != nil }
    if properties.isEmpty || (tracker.changed.isEmpty && tracker.inserted.isEmpty) { return }
    let united = Dictionary(
      resolvedUpserts.map { (ObjectIdentifier($0.object), $0.row) }, uniquingKeysWith: { first, _ in first })
    var updates: [Int64: _PropertyMask] = [:]
    for property in properties {
      try writeChangedValues(of: property)
      for row in try writeInsertedValues(of: property, united) { updates[row, default: 0] |= property.bit }
    }
    if !updates.isEmpty { try recordOutOfRowUpdates(updates) }
  }

  private func writeChangedValues(of property: PropertyLayout) throws {
    for object in tracker.changed {
      let model = tracker.erased(object)
      let header = model._$header
      if header.pointee.status.contains(.deleted) || header.pointee.changedMask & property.bit == 0 { continue }
      // Not loaded, so not changed: another property has the same bit.
      guard case .boxed(let value?) = model._$relationshipValue(property.index) else { continue }
      _ = try writeExternalValue(value, of: model, row: header.pointee.rowID, property)
    }
  }

  /// Writes the values of inserted objects.
  ///
  /// - Returns: The existing rows to which inserts were resolved and whose value has changed.
  private func writeInsertedValues(of property: PropertyLayout, _ united: [ObjectIdentifier: Int64]) throws -> [Int64] {
    var changed: [Int64] = []
    for object in tracker.inserted {
      let model = tracker.erased(object)
      let own = model._$header.pointee.rowID
      let union = united[ObjectIdentifier(object)]
      guard case .boxed(let value?) = model._$relationshipValue(property.index) else {
        if property.isOptional { continue }
        throw unstorableValueError(model, property, "it has no value yet; give it one before saving")
      }
      let isChanged = try writeExternalValue(value, of: model, row: union ?? reassignedRowIDs[own] ?? own, property)
      if isChanged, let union { changed.append(union) }
    }
    return changed
  }

  /// Writes or deletes the value of one row.
  ///
  /// - Returns: Whether the store had a different value.
  private func writeExternalValue(
    _ value: AnyObject, of model: any PersistentModel, row: Int64, _ property: PropertyLayout
  ) throws -> Bool {
    guard let table = property.placement.external else { return false }
    let isNil = property.codec.isNil(boxed: value)
    return try connection.withStatement(for: isNil ? table.delete : table.upsert) { statement in
      statement.bind(1, row)
      if !isNil {
        var binder = _RowBinder(statement: statement, layout: tracker.layout, first: 2)
        property.codec.write(boxed: value, to: &binder)
        if let problem = binder.firstProblem { throw unstorableValueError(model, property, problem.reason) }
      }
      try statement.run()
      return connection.changes > 0
    }
  }

  private func unstorableValueError(
    _ model: any PersistentModel, _ property: PropertyLayout, _ reason: String
  ) -> SaveError {
    let entity = tracker.layout.entityName
    return SaveError(
      .unstorableValue, entityName: entity, properties: [property.name], identifiers: [model.persistentModelID],
      "\(entity).\(property.name) cannot be saved: \(reason). Give it another value, or roll back. Nothing was written."
    )
  }
}
