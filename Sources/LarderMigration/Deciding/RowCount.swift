import LarderData
import LarderSQLite

/// Counts the rows of one class that have a value.
struct RowCount {
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
