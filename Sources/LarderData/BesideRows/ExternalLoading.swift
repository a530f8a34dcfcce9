import Foundation
import LarderSQLite
import LarderSupport

// Values of `.externalStorage`, one at a time: they are large, so that siblings are not loaded with them.

extension EntityState {
  func loadExternal<Model: PersistentModel, Value>(of model: Model, _ property: Int) -> Value {
    let header = model._$header
    let row = header.pointee.rowID
    guard header.pointee.status.contains(.stored) else { return model._$unset(property) }
    do {
      let value: Value = try readExternal(row, property)
      model._$change(property, .held(HeldValue(value)))
      return value
    } catch {
      if core.faultError == nil { core.faultError = error }
      return layout.missingExternal(property, Value.self, "\(error)")
    }
  }

  private func readExternal<Value>(_ row: Int64, _ property: Int) throws -> Value {
    guard let table = layout.properties[property].placement.external else { throw missingRow(row, property) }
    let what = "reading \(layout.entityName).\(table.property)"
    return try StoreError.wrapping(store.errorURL, what) {
      try session.read { connection in
        try connection.withStatement(for: table.select) { statement in
          statement.bind(1, row)
          guard try statement.step() else {
            if let none = Optional<Any>.none as? Value { return none }
            throw missingRow(row, property)
          }
          let problems = RowProblems()
          let reader = RowReader(statement: statement.handle, layout: layout, problems: problems)
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

  private func missingRow(_ row: Int64, _ property: Int) -> FetchError {
    let name = "\(layout.entityName).\(layout.properties[property].name)"
    return FetchError(
      .noSuchRow, entityName: layout.entityName, identifier: identifier(row),
      "\(name) of row \(row) is not in the store: somebody else deleted the row or its value. Fetch the object again, "
        + "or give the property a value.")
  }

  private func identifier(_ row: Int64) -> PersistentIdentifier {
    PersistentIdentifier(identity: identity, key: row, isSaved: true)
  }
}

extension ModelLayout {
  /// What a value that cannot be loaded reads as: nil, the property's default, or the type's zero.
  func missingExternal<Value>(_ property: Int, _ type: Value.Type, _ reason: String) -> Value {
    let name = "\(entityName).\(properties[property].name)"
    Log.warning("\(name) could not be read and seems empty: \(reason)")
    if let none = Optional<Any>.none as? Value { return none }
    if let value = properties[property].defaultValue as? Value { return value }
    // A type of the program's own may end it for what it never has.
    if Attempt.holds({ ZeroValue.of(type) != nil }) == true, let value = ZeroValue.of(type) { return value }
    preconditionFailure(
      "\(name) could not be read: \(reason). Its type has no empty value to stand in; make the property optional, or "
        + "give it a default")
  }
}

/// A value that stands for nothing, for types of which more is not known.
private enum ZeroValue {
  static func of<Value>(_ type: Value.Type) -> Value? {
    if let column = type as? any ColumnValue.Type { return column._zero as? Value }
    if let value = (AnyPropertyCodec.makeCodec(for: type) as? PropertyCodec<Value>)?.sample(.zero) { return value }
    guard let decodable = type as? any Decodable.Type else { return nil }
    for json in ["[]", "{}", "\"\"", "0", "false"] {
      if let value = try? JSONDecoder().decode(decodable, from: Data(json.utf8)) as? Value { return value }
    }
    return nil
  }
}
