import CSQLite
import LarderSQLite

/// What SQLite says of the last row that a statement has written: neither `changes()` nor the last identifier tells an
/// insert that became an update of which row, and `RETURNING` costs ten times the statement.
struct WrittenRow {
  /// 0 where none was.
  var operation: Int32 = 0
  var row: Int64 = 0

  /// Has each row that the connection writes noted while the body runs.
  static func noted<Result>(
    on connection: Connection, _ body: (UnsafeMutablePointer<WrittenRow>) throws -> Result
  ) rethrows -> Result {
    var written = WrittenRow()
    return try withUnsafeMutablePointer(to: &written) { written in
      sqlite3_update_hook(
        connection.handle,
        { context, operation, _, _, row in
          context?.assumingMemoryBound(to: WrittenRow.self).pointee = WrittenRow(operation: operation, row: row)
        }, written)
      defer { sqlite3_update_hook(connection.handle, nil, nil) }
      return try body(written)
    }
  }
}
