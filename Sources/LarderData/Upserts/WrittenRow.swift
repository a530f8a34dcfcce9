import CSQLite
import Foundation
import LarderSQLite

/// What SQLite says of the last row that a statement has written: neither `changes()` nor the last identifier tells an
/// insert that became an update of which row, and `RETURNING` costs ten times the statement.
struct WrittenRow {
  /// 0 where none was.
  var operation: Int32 = 0
  var row: Int64 = 0
  private let table: UnsafePointer<CChar>

  /// Has the first row of a table noted that the connection writes after ``operation`` was set to 0, while the body runs.
  /// What triggers write besides is none of it: in the same table they do so after the statement itself.
  static func withUpdateHook<Result>(
    in table: String, on connection: Connection, _ body: (UnsafeMutablePointer<WrittenRow>) throws -> Result
  ) rethrows -> Result {
    try table.withCString { table in
      var written = WrittenRow(table: table)
      return try withUnsafeMutablePointer(to: &written) { written in
        sqlite3_update_hook(
          connection.handle,
          { context, operation, _, table, row in
            guard let table, let written = context?.assumingMemoryBound(to: WrittenRow.self) else { return }
            guard written.pointee.operation == 0, strcmp(table, written.pointee.table) == 0 else { return }
            written.pointee.operation = operation
            written.pointee.row = row
          }, written)
        defer { sqlite3_update_hook(connection.handle, nil, nil) }
        return try body(written)
      }
    }
  }
}
