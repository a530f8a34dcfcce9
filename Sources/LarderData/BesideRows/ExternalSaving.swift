import LarderSQLite
import LarderSupport

extension EntitySaving {
  /// Writes the values that are kept apart from their rows, after the rows, in the same transaction.
  func writeExternals() throws {
    let properties = state.layout.propertiesBesideRows.filter { $0.placement.external != nil }
    if properties.isEmpty || (state.changed.isEmpty && state.inserted.isEmpty) { return }
    let united = Dictionary(
      unions.map { (ObjectIdentifier($0.object), $0.row) }, uniquingKeysWith: { first, _ in first })
    var updates: [Int64: PropertyMask] = [:]
    for property in properties {
      try writeChanged(property)
      for row in try writeInserted(property, united) { updates[row, default: 0] |= property.bit }
    }
    if !updates.isEmpty { try noteBesideRows(updates) }
  }

  private func writeChanged(_ property: PropertyLayout) throws {
    for object in state.changed {
      let model = state.erased(object)
      let header = model._$header
      if header.pointee.status.contains(.deleted) || header.pointee.changed & property.bit == 0 { continue }
      // Not loaded, so not changed: another property has the same bit.
      guard case .held(let value?) = model._$relation(property.index) else { continue }
      _ = try write(value, of: model, row: header.pointee.rowID, property)
    }
  }

  /// - Returns: The rows that inserts met, and whose value is another now.
  private func writeInserted(_ property: PropertyLayout, _ united: [ObjectIdentifier: Int64]) throws -> [Int64] {
    var changed: [Int64] = []
    for object in state.inserted {
      let model = state.erased(object)
      let own = model._$header.pointee.rowID
      let union = united[ObjectIdentifier(object)]
      guard case .held(let value?) = model._$relation(property.index) else {
        if property.isOptional { continue }
        throw unstorableExternal(model, property, "it has no value yet; give it one before saving")
      }
      let isChanged = try write(value, of: model, row: union ?? redrawn[own] ?? own, property)
      if isChanged, let union { changed.append(union) }
    }
    return changed
  }

  /// - Returns: Whether the store had another value.
  private func write(
    _ value: AnyObject, of model: any PersistentModel, row: Int64, _ property: PropertyLayout
  ) throws -> Bool {
    guard let table = property.placement.external else { return false }
    let isNil = property.codec.isNil(held: value)
    return try connection.withStatement(for: isNil ? table.delete : table.upsert) { statement in
      statement.bind(1, row)
      if !isNil {
        var binder = RowBinder(statement: statement, layout: state.layout, first: 2)
        property.codec.write(held: value, to: &binder)
        if let problem = binder.problem { throw unstorableExternal(model, property, problem.reason) }
      }
      try statement.run()
      return connection.changes > 0
    }
  }

  /// Of an insert that met a row of which only such a value changes, others learn by the row's version.
  private func unstorableExternal(
    _ model: any PersistentModel, _ property: PropertyLayout, _ reason: String
  ) -> SaveError {
    let entity = state.layout.entityName
    return SaveError(
      .unstorableValue, entityName: entity, properties: [property.name], identifiers: [model.persistentModelID],
      "\(entity).\(property.name) cannot be saved: \(reason). Give it another value, or roll back. Nothing was written."
    )
  }
}
