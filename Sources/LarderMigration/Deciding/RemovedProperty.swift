import LarderData
import LarderSQLite

/// A property of the store that the models lack: it goes, with its values.
struct RemovedProperty {
  /// With its class: `Trip.notes`.
  let name: String
  let isRelationship: Bool
  /// How many rows have a value; of a relationship, how many pairs there are. Nil where these stay with its inverse, or are
  /// counted there.
  var rows: Int64?
}

extension StoreMigration {
  /// What goes of some classes. Each class is asked for its own rows: what has moved to a class below it stays with those of
  /// that one alone.
  func removedProperties(of matches: [ClassMatch], on connection: Connection) throws -> [RemovedProperty] {
    let taken = Set(self.matches.all.flatMap(\.properties).compactMap { $0.former?.fullName })
    var removed: [RemovedProperty] = []
    func add(_ property: RemovedProperty) {
      if let known = removed.firstIndex(where: { $0.name == property.name }) {
        removed[known].rows = removed[known].rows.flatMap { rows in property.rows.map { rows + $0 } }
      } else {
        removed.append(property)
      }
    }
    for match in matches {
      guard let former = match.former, let table = store.table(of: former) else { continue }
      let count = RowCount(table, of: former, connection)
      for property in table.propertyNames(of: former).compactMap({ store.property($0, of: former) }) {
        if let successor = match.properties.first(where: { $0.former?.fullName == property.fullName }) {
          for (member, column) in property.members(missingIn: successor.now) {
            let name = "\(property.fullName).\(member)"
            add(RemovedProperty(name: name, isRelationship: false, rows: try count.rows(with: column)))
          }
          continue
        }
        let rows = try count.rows(of: property) { relation in
          guard let inverse = relation.inverse else { return false }
          return store.property(inverse, of: relation.destination).map { taken.contains($0.fullName) } ?? false
        }
        add(RemovedProperty(name: property.fullName, isRelationship: property.relation != nil, rows: rows))
      }
    }
    return removed
  }
}

extension StoredProperty {
  /// With the class that declares it.
  fileprivate var fullName: String { "\(ofClass).\(name)" }

  /// The members of a struct that has a column for each which a later one lacks, and their columns.
  fileprivate func members(missingIn later: StoredProperty) -> [(name: Substring, column: TableDefinition.Column)] {
    guard members.count > 1, later.members.count > 1 else { return [] }
    return members.filter { later.columns[$0.suffix] == nil && $0.column.form != "presence" }.map {
      ($0.suffix.dropFirst(), $0.column)
    }
  }
}

/// Counts the rows of one class that have a value.
private struct RowCount {
  private let table: TableDefinition
  /// The condition that a row, as `f`, is of the class; nil where all are.
  private let isOfClass: String?
  private let connection: Connection
  private let q = StoreFormat.quoted

  init(_ table: TableDefinition, of className: String, _ connection: Connection) {
    self.table = table
    isOfClass = table.isOfClass([className], as: "f")
    self.connection = connection
  }

  func rows(with column: TableDefinition.Column) throws -> Int64 {
    try count("\(q(table.name)) AS f", where: isThere(column))
  }

  /// - Parameter staysElsewhere: Whether the other end of a relationship keeps its pairs.
  func rows(of property: StoredProperty, staysElsewhere: (StoredRelation) -> Bool) throws -> Int64? {
    if let relation = property.relation {
      if staysElsewhere(relation) { return nil }
      if let keyColumn = property.keyColumn { return try rows(with: keyColumn) }
      let owner = relation.isSource ?? true ? LinkTable.sourceColumn : LinkTable.targetColumn
      return try relation.link.map { try rows(in: $0.name, by: owner) }
    }
    if let external = property.external { return try rows(in: external.name, by: ExternalTable.rowColumn) }
    if let presence = property.presence {
      return try count("\(q(table.name)) AS f", where: "f.\(q(presence.name)) <> 0")
    }
    return try property.members.first.map { try rows(with: $0.column) } ?? 0
  }

  /// The rows of a table beside, by the column that leads to their own.
  private func rows(in beside: String, by column: String) throws -> Int64 {
    if isOfClass == nil { return try count(q(beside), where: "1") }
    let id = StoreFormat.identifierColumn
    return try count("\(q(beside)) AS b JOIN \(q(table.name)) AS f ON f.\(id) = b.\(column)", where: "1")
  }

  private func isThere(_ column: TableDefinition.Column) -> String { "f.\(q(column.name)) IS NOT NULL" }

  private func count(_ source: String, where condition: String) throws -> Int64 {
    let conditions = [condition, isOfClass].compactMap { $0 }.map { "(\($0))" }.joined(separator: " AND ")
    return try connection.int64("SELECT count(*) FROM \(source) WHERE \(conditions)") ?? 0
  }
}
