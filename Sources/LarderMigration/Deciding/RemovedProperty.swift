import LarderData
import LarderSQLite

/// A property of the store that the models lack: it goes, with its values.
struct RemovedProperty {
  /// With its class: `Trip.notes`.
  let name: String
  let isRelationship: Bool
  /// How many rows have a value; of a relationship, how many pairs there are. Nil where these stay with its inverse, or are
  /// counted there.
  let rows: Int64?
}

extension StoreMigration {
  /// What goes of some classes.
  func removedProperties(of matches: [ClassMatch], on connection: Connection) throws -> [RemovedProperty] {
    let taken = Set(self.matches.all.flatMap(\.properties).compactMap { $0.former.map { "\($0.ofClass).\($0.name)" } })
    return try matches.flatMap { match -> [RemovedProperty] in
      guard let former = match.former, let table = store.table(of: former) else { return [] }
      return try table.propertyNames(of: former).compactMap { name -> RemovedProperty? in
        guard let property = store.property(name, of: former), property.ofClass == former,
          !taken.contains("\(former).\(name)")
        else { return nil }
        let rows = try property.rows(on: connection) { relation in
          guard let inverse = relation.inverse, let other = store.property(inverse, of: relation.destination) else {
            return false
          }
          return taken.contains("\(other.ofClass).\(inverse)")
        }
        return RemovedProperty(name: "\(former).\(name)", isRelationship: property.relation != nil, rows: rows)
      }
    }
  }
}

extension StoredProperty {
  /// How many rows have a value.
  ///
  /// - Parameter staysElsewhere: Whether the other end of a relationship keeps its pairs.
  fileprivate func rows(on connection: Connection, staysElsewhere: (StoredRelation) -> Bool) throws -> Int64? {
    func count(_ table: String, where condition: String = "1") throws -> Int64 {
      try connection.int64("SELECT count(*) FROM \(StoreFormat.quoted(table)) WHERE \(condition)") ?? 0
    }
    func isThere(_ column: TableDefinition.Column) -> String { "\(StoreFormat.quoted(column.name)) IS NOT NULL" }
    if let relation {
      if staysElsewhere(relation) { return nil }
      if let keyColumn { return try count(table.name, where: isThere(keyColumn)) }
      return try relation.link.map { try count($0.name) }
    }
    if let external { return try count(external.name) }
    if let presence { return try count(table.name, where: "\(StoreFormat.quoted(presence.name)) <> 0") }
    guard let column = members.first?.column else { return 0 }
    return try count(table.name, where: isThere(column))
  }
}
