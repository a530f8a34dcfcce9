import CSQLite
import Foundation
import LarderSQLite

/// The last row that a statement has written, as SQLite's update hook reports it. Neither `changes()` nor the last row ID tells
/// which row an insert has updated, and `RETURNING` costs ten times the statement.
struct WrittenRow {
  /// The operation's code, or 0 if no row was written.
  var operation: Int32 = 0
  var row: Int64 = 0
  private let table: UnsafePointer<CChar>

  /// Runs the body, and records the first row of a table that the connection writes after ``operation`` was set to 0. Rows that
  /// triggers write are not recorded: in the same table, triggers write after the statement itself.
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
