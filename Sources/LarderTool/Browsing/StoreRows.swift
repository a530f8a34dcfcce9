import LarderData
import LarderSQLite

/// The data that the browser shows of a store, read in one snapshot.
struct StoreRows {
  /// The displayed part of a value.
  enum DisplayValue {
    case null
    case integer(Int64)
    case real(Double)
    case text(String, isTruncated: Bool)
    case bytes(Int64)
  }

  struct Row {
    let id: Int64
    let values: [DisplayValue]
  }

  struct RelatedRow {
    let id: Int64
    let label: String
  }

  /// The number of rows on a page, and of related rows of a to-many relationship.
  static let pageSize = 100
  /// The number of characters of a value in a table, and in a row.
  static let tableValueLimit: Int64 = 120
  static let rowValueLimit: Int64 = 20_000
  /// The number of columns in a table; the page of a row shows all of them.
  static let maximumColumnCount = 24
  /// The number of columns that a filter searches, and of characters that it searches for.
  private static let filterLimit = 200

  let outline: SchemaSummary
  private let connection: Connection
  private let quoted = StoreFormat.quoted
  private let rowIDColumn = StoreFormat.identifierColumn

  init(_ connection: Connection) throws {
    self.connection = connection
    outline = SchemaSummary(try StoreMetadata.tables(of: try StoreMetadata.entries(on: connection)))
  }

  func entity(_ name: String) -> SchemaSummary.Entity? { outline.entities.first { $0.name == name } }

  func count(_ entity: SchemaSummary.Entity) throws -> Int64 {
    try connection.int64(
      "SELECT count(*) FROM \(quoted(entity.table)) AS f\(entity.condition.map { " WHERE \($0)" } ?? "")")
      ?? 0
  }

  // MARK: Rows

  /// Reads a page of rows.
  ///
  /// - Returns: The rows, with one more than a page if there are more.
  func rows(_ entity: SchemaSummary.Entity, matching filter: String, after: Int64) throws -> [Row] {
    let shown = entity.attributes.prefix(Self.maximumColumnCount).map { $0 }
    var conditions = ["f.\(rowIDColumn) > ?1"]
    if let condition = entity.condition { conditions.append(condition) }
    if !filter.isEmpty {
      let searched = entity.attributes.filter { $0.type != .blob }.prefix(Self.filterLimit)
      let columns =
        searched.map { "f.\(quoted($0.name)) LIKE ?2 ESCAPE '\\'" } + ["f.\(rowIDColumn) = CAST(?3 AS INTEGER)"]
      conditions.append("(\(columns.joined(separator: " OR ")))")
    }
    let sql =
      "SELECT f.\(rowIDColumn)\(selection(shown, Self.tableValueLimit)) FROM \(quoted(entity.table)) AS f WHERE "
      + "\(conditions.joined(separator: " AND ")) ORDER BY f.\(rowIDColumn) LIMIT \(Self.pageSize + 1)"
    return try connection.withStatement(for: sql) { statement in
      statement.bind(1, after)
      if !filter.isEmpty {
        statement.bind(2, "%\(Self.escapedPattern(filter))%")
        // A text that is no number matches no row ID.
        statement.bind(3, Int64(filter) ?? -1)
      }
      var rows: [Row] = []
      while try statement.step() { rows.append(row(statement, shown.count, Self.tableValueLimit)) }
      return rows
    }
  }

  func row(_ entity: SchemaSummary.Entity, _ number: Int64) throws -> Row? {
    let sql =
      "SELECT f.\(rowIDColumn)\(selection(entity.attributes, Self.rowValueLimit)) FROM \(quoted(entity.table)) AS f WHERE f.\(rowIDColumn) = ?1"
      + (entity.condition.map { " AND \($0)" } ?? "")
    return try connection.withStatement(for: sql) { statement in
      statement.bind(1, number)
      return try statement.step() ? row(statement, entity.attributes.count, Self.rowValueLimit) : nil
    }
  }

  func value(of external: ExternalTable, _ row: Int64) throws -> DisplayValue {
    let sql =
      "SELECT \(value("v.\(ExternalTable.valueColumn)", Self.rowValueLimit)) FROM \(quoted(external.name)) AS v WHERE v.\(ExternalTable.rowColumn) = ?1"
    return try connection.withStatement(for: sql) { statement in
      statement.bind(1, row)
      return try statement.step() ? displayValue(statement, 0, Self.rowValueLimit) : .null
    }
  }

  /// Escapes a text for LIKE. Works by Unicode scalars, as SQLite does: a character may have any number of them, and the length of
  /// a
  /// pattern is limited.
  private static func escapedPattern(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(filterLimit) {
      if "\\%_".unicodeScalars.contains(scalar) { result.append("\\") }
      result.append(scalar)
    }
    return String(result)
  }

  /// Returns the SQL for a value's type and its displayed part, since a row may have gigabytes.
  private func value(_ column: String, _ limit: Int64) -> String {
    "typeof(\(column)), CASE typeof(\(column)) WHEN 'text' THEN substr(\(column), 1, \(limit + 1)) "
      + "WHEN 'blob' THEN length(\(column)) ELSE \(column) END"
  }

  private func selection(_ attributes: [SchemaSummary.Attribute], _ limit: Int64) -> String {
    attributes.map { ", " + value("f.\(quoted($0.name))", limit) }.joined()
  }

  private func row(_ statement: borrowing Statement, _ count: Int, _ limit: Int64) -> Row {
    Row(id: statement.int64(0), values: (0..<count).map { displayValue(statement, Int32(1 + 2 * $0), limit) })
  }

  private func displayValue(_ statement: borrowing Statement, _ column: Int32, _ limit: Int64) -> DisplayValue {
    switch statement.string(column) {
    case "integer": return .integer(statement.int64(column + 1))
    case "real": return .real(statement.double(column + 1))
    case "blob": return .bytes(statement.int64(column + 1))
    case "text":
      let text = statement.string(column + 1)
      let isTruncated = text.unicodeScalars.count > Int(limit)
      return .text(isTruncated ? String(text.prefix(Int(limit))) : text, isTruncated: isTruncated)
    default: return .null
    }
  }

  // MARK: Relationships

  /// Returns the related rows in their order, with one more than a page if there are more.
  func related(_ relationship: SchemaSummary.Relationship, to row: Int64) throws -> [RelatedRow] {
    let sql =
      "SELECT other FROM (\(relationship.pairs)) WHERE owner = ?1 ORDER BY owner_order, other LIMIT \(Self.pageSize + 1)"
    let rows = try connection.withStatement(for: sql) { statement in
      statement.bind(1, row)
      var rows: [Int64] = []
      while try statement.step() { rows.append(statement.int64(0)) }
      return rows
    }
    return try rows.map { RelatedRow(id: $0, label: try label(of: $0, relationship.destination)) }
  }

  /// Returns a label for a row: its first text, and its number.
  func label(of row: Int64, _ className: String) throws -> String {
    guard let entity = entity(className),
      let attribute = entity.attributes.first(where: { $0.type == .text && $0.form == nil && $0.valueType == "String" })
    else { return "\(className) \(row)" }
    let sql =
      "SELECT substr(f.\(quoted(attribute.name)), 1, 60) FROM \(quoted(entity.table)) AS f WHERE f.\(rowIDColumn) = ?1"
    return try connection.withStatement(for: sql) { statement in
      statement.bind(1, row)
      guard try statement.step(), !statement.isNull(0) else { return "\(className) \(row)" }
      return "\(statement.string(0)) (\(row))"
    }
  }
}
