import Foundation
import LarderData
import LarderSQLite

/// Rows of an import that violate a unique constraint or a foreign key.
struct ImportConflict {
  let table: String
  /// The columns of the unique constraint, or the foreign key.
  let columns: String
  /// The rows' values in these columns, as SQL literals.
  let values: String
  /// Some of the rows, by columns that identify them.
  let rows: [[String: Int64]]
  /// The number of further rows.
  var additionalRowCount: Int64 = 0

  /// The displayed length of a value, which may be a long text: enough to search for it.
  private static let maximumValueLength = 60
  private static let rowIDColumn = StoreFormat.identifierColumn

  var keys: String {
    rows.map { row in row.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ") }
      .joined(separator: " and ")
  }

  private static func truncatedSQL(_ column: String) -> String {
    let quoted = "quote(\(column))"
    return
      "iif(length(\(quoted)) > \(maximumValueLength), substr(\(quoted), 1, \(maximumValueLength)) || '…', \(quoted))"
  }

  /// Returns the first rows that violate a unique constraint.
  static func uniquenessConflict(in tables: [TableDefinition], on connection: Connection) throws -> ImportConflict? {
    for table in tables {
      for group in table.unique where !group.isEmpty {
        let columns = group.map(StoreFormat.quoted)
        let present = columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
        let sql =
          "SELECT min(\(rowIDColumn)), max(\(rowIDColumn)), count(*), \(columns.map(truncatedSQL).joined(separator: " || ', ' || ")) "
          + "FROM \(StoreFormat.quoted(table.name)) WHERE \(present) GROUP BY \(columns.joined(separator: ", ")) "
          + "HAVING count(*) > 1 LIMIT 1"
        let found = try connection.withStatement(for: sql) { statement -> ImportConflict? in
          guard try statement.step() else { return nil }
          return ImportConflict(
            table: table.name, columns: group.joined(separator: ", "), values: statement.string(3),
            rows: [[rowIDColumn: statement.int64(0)], [rowIDColumn: statement.int64(1)]],
            additionalRowCount: statement.int64(2) - 2)
        }
        if let found { return found }
      }
    }
    return nil
  }

  /// Returns the first row whose foreign key references a missing row.
  static func missingReference(in tables: [TableDefinition], on connection: Connection) throws -> ImportConflict? {
    let broken = try connection.withStatement(
      for: "SELECT \"table\", rowid, parent, fkid FROM pragma_foreign_key_check LIMIT 1"
    ) { statement -> (table: String, row: Int64?, parent: String, key: Int64)? in
      guard try statement.step() else { return nil }
      let row = statement.type(1) == .integer ? statement.int64(1) : nil
      return (statement.string(0), row, statement.string(2), statement.int64(3))
    }
    guard let broken else { return nil }
    let q = StoreFormat.quoted
    let column = try connection.string(
      "SELECT \"from\" FROM pragma_foreign_key_list(\(StoreFormat.literal(broken.table))) WHERE id = \(broken.key)")
    guard let column else {
      return ImportConflict(table: broken.table, columns: "", values: "one of \(broken.parent)", rows: [])
    }
    // Rows of a join table have no row ID of their own.
    let keys = broken.row == nil ? [JoinTable.sourceColumn, JoinTable.targetColumn] : [rowIDColumn]
    let condition =
      broken.row.map { "\(rowIDColumn) = \($0)" }
      ?? "\(q(column)) IS NOT NULL AND \(q(column)) NOT IN (SELECT \(rowIDColumn) FROM \(q(broken.parent)))"
    let sql =
      "SELECT \(truncatedSQL(q(column))), \(keys.map(q).joined(separator: ", ")) FROM \(q(broken.table)) "
      + "WHERE \(condition) LIMIT 1"
    return try connection.withStatement(for: sql) { statement in
      guard try statement.step() else { return nil }
      var row: [String: Int64] = [:]
      for (place, key) in keys.enumerated() { row[key] = statement.int64(Int32(place + 1)) }
      return ImportConflict(
        table: broken.table, columns: column,
        values: "\(rowIDColumn) \(statement.string(0)) of \(broken.parent), by \(column)", rows: [row])
    }
  }

  /// Returns the line numbers of the rows in an export, which is read again from its beginning.
  func lines(of source: FileHandle, maximumHeaderLength longestHeader: Int, maximumLineLength longest: Int) throws
    -> [Int]
  {
    var reader = LineReader(source, maximumLength: longestHeader)
    guard try reader.next() != nil else { return [] }
    reader.maximumLength = longest
    var columns: [String]?
    var found: [Int] = []
    while found.count < rows.count, let line = try reader.next() {
      if line.first == UInt8(ascii: "{") {
        let header = try? JSONDecoder().decode(TransferTable.self, from: Data(line))
        columns = header?.table == table ? header?.columns : nil
      } else if let columns {
        var scanner = RowParser(line)
        let cells = try scanner.parseRow(limit: columns.count)
        let values = Dictionary(zip(columns, cells), uniquingKeysWith: { first, _ in first })
        if rows.contains(where: { $0.allSatisfy { values[$0.key] == .integer($0.value) } }) {
          found.append(reader.lineCount)
        }
      }
    }
    return found
  }
}
