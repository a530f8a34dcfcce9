import Foundation
import LarderSQLite
import LarderSupport

// Loads values of `.externalStorage` one at a time: they are large, so those of siblings are not loaded with them.

extension _EntityTracker {
  func loadExternalValue<Model: PersistentModel, Value>(of model: Model, _ property: Int) -> Value {
    let header = model._$header
    let row = header.pointee.rowID
    guard header.pointee.status.contains(.stored) else { return model._$requireDefault(property) }
    do {
      let value: Value = try readExternalValue(row, property)
      model._$applyChange(property, .boxed(_ValueBox(value)))
      return value
    } catch {
      if core.pendingError == nil { core.pendingError = error }
      return layout.fallbackValue(property, Value.self, "\(error)")
    }
  }

  private func readExternalValue<Value>(_ row: Int64, _ property: Int) throws -> Value {
    guard let table = layout.properties[property].placement.external else { throw missingRowError(row, property) }
    let what = "reading \(layout.entityName).\(table.property)"
    return try StoreError.mapErrors(store.errorURL, what) {
      try session.read { connection in
        try connection.withStatement(for: table.select) { statement in
          statement.bind(1, row)
          guard try statement.step() else {
            if let none = Optional<Any>.none as? Value { return none }
            throw missingRowError(row, property)
          }
          let problems = _RowProblems()
          let reader = _RowReader(statement: statement.handle, layout: layout, problems: problems)
          let value = layout.codec(property, Value.self).read(reader, 0)
          if let value, problems.first == nil { return value }
          throw FetchError(
            .unreadableValue, entityName: layout.entityName, identifier: identifier(row),
            "\(layout.entityName).\(table.property) of row \(row) cannot be read: "
              + "\(problems.first ?? "it has no value"). Correct the row in \"\(table.name)\", or let the property's "
              + "type accept it.")
        }
      }
    }
  }

  private func missingRowError(_ row: Int64, _ property: Int) -> FetchError {
    let name = "\(layout.entityName).\(layout.properties[property].name)"
    return FetchError(
      .rowNotFound, entityName: layout.entityName, identifier: identifier(row),
      "\(name) of row \(row) is not in the store: somebody else deleted the row or its value. Fetch the object again, "
        + "or give the property a value.")
  }

  private func identifier(_ row: Int64) -> PersistentIdentifier {
    PersistentIdentifier(identity: identity, key: row, isSaved: true)
  }
}

extension _ModelLayout {
  /// Returns a replacement for a value that cannot be loaded: nil, the property's default, or the type's zero.
  func fallbackValue<Value>(_ property: Int, _ type: Value.Type, _ reason: String) -> Value {
    let name = "\(entityName).\(properties[property].name)"
    Log.warning("\(name) could not be read and seems empty: \(reason)")
    if let none = Optional<Any>.none as? Value { return none }
    if let value = properties[property].defaultValue as? Value { return value }
    // A program's own type may crash on a value that it never has.
    if ForkedEvaluation.evaluate({ ZeroValue.make(type) != nil }) == true, let value = ZeroValue.make(type) {
      return value
    }
    preconditionFailure(
      "\(name) could not be read: \(reason). Its type has no empty value to stand in; make the property optional, or "
        + "give it a default")
  }
}

/// An empty value for a type of which nothing else is known.
private enum ZeroValue {
  static func make<Value>(_ type: Value.Type) -> Value? {
    if let column = type as? any _ColumnValue.Type { return column._zero as? Value }
    if let value = (_AnyPropertyCodec.makeCodec(for: type) as? _PropertyCodec<Value>)?.sample(.zero) { return value }
    guard let decodable = type as? any Decodable.Type else { return nil }
    for json in ["[]", "{}", "\"\"", "0", "false"] {
      if let value = try? JSONDecoder().decode(decodable, from: Data(json.utf8)) as? Value { return value }
    }
    return nil
  }
}
