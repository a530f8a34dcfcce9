import LarderData
import LarderSQLite

/// Counts the rows of one class that have a value.
struct RowCounter {
  private let table: TableDefinition
  /// The condition that a row, as `f`, is of the class; `nil` if all rows are.
  private let classCondition: String?
  private let connection: Connection
  private let quoted = StoreFormat.quoted

  init(_ table: TableDefinition, of className: String, _ connection: Connection) {
    self.table = table
    classCondition = table.classCondition([className], as: "f")
    self.connection = connection
  }

  func rows(with column: TableDefinition.Column) throws -> Int64 {
    try count("\(quoted(table.name)) AS f", where: notNullCondition(column))
  }

  /// - Parameter staysElsewhere: Returns whether the inverse of a relationship keeps its pairs.
  func rows(of property: StoredProperty, isKeptByInverse staysElsewhere: (StoredRelationship) -> Bool) throws -> Int64?
  {
    if let relationship = property.relationship {
      if staysElsewhere(relationship) { return nil }
      if let keyColumn = property.keyColumn { return try rows(with: keyColumn) }
      let owner = relationship.isSource ?? true ? JoinTable.sourceColumn : JoinTable.targetColumn
      return try relationship.joinTable.map { try rows(in: $0.name, by: owner) }
    }
    if let external = property.external { return try rows(in: external.name, by: ExternalTable.rowColumn) }
    if let presence = property.presenceColumn {
      return try count("\(quoted(table.name)) AS f", where: "f.\(quoted(presence.name)) <> 0")
    }
    return try property.members.first.map { try rows(with: $0.column) } ?? 0
  }

  /// Returns the count of rows in a companion table, joined by the column that references their owner.
  private func rows(in beside: String, by column: String) throws -> Int64 {
    if classCondition == nil { return try count(quoted(beside), where: "1") }
    let id = StoreFormat.identifierColumn
    return try count("\(quoted(beside)) AS b JOIN \(quoted(table.name)) AS f ON f.\(id) = b.\(column)", where: "1")
  }

  private func notNullCondition(_ column: TableDefinition.Column) -> String { "f.\(quoted(column.name)) IS NOT NULL" }

  private func count(_ source: String, where condition: String) throws -> Int64 {
    let conditions = [condition, classCondition].compactMap { $0 }.map { "(\($0))" }.joined(separator: " AND ")
    return try connection.int64("SELECT count(*) FROM \(source) WHERE \(conditions)") ?? 0
  }
}
