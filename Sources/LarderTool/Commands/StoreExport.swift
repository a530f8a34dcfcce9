package import Foundation
package import LarderData
import LarderSQLite

/// Writes a store as lines of JSON: its metadata, then each table with its rows, then the number of rows.
///
/// The export is one snapshot, unaffected by concurrent writes, and the same store always has the same lines.
package struct StoreExport {
  private let store: SQLiteStore
  private let output: FileHandle
  private let progress: (_ rows: Int) throws -> Void

  /// The number of bytes that are buffered before a write: 1 MiB.
  private static let bufferSize = 1 << 20

  package init(_ store: SQLiteStore, to output: FileHandle, progress: @escaping (_ rows: Int) throws -> Void = { _ in })
  {
    self.store = store
    self.output = output
    self.progress = progress
  }

  /// Writes the export.
  ///
  /// - Returns: The number of rows.
  package func run() throws -> Int {
    try store.database.read { connection in
      let entries = try StoreMetadata.entries(on: connection)
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      try write(encoder.encode(TransferHeader(entries)))
      var rows = 0
      let tables = try StoreMetadata.tables(of: entries).sorted { $0.name < $1.name }
      // The tables without columns that were added by hand.
      let plain = try Connection(path: ":memory:")
      defer { plain.close() }
      for table in tables { for sql in table.creation { try plain.execute(sql) } }
      try plain.execute(HistoryTable.creation)
      for table in tables {
        for name in [table.name] + table.companionTables {
          rows += try export(name, plain, encoder, rows, on: connection)
        }
      }
      rows += try export(HistoryTable.name, plain, encoder, rows, on: connection)
      try write(encoder.encode(TransferEnd(rows: rows)))
      return rows
    }
  }

  private func export(
    _ name: String, _ plain: Connection, _ encoder: JSONEncoder, _ before: Int, on connection: Connection
  ) throws -> Int {
    let columns = try TableColumns(name, on: connection)
    if columns.names.isEmpty { return 0 }
    let known = Set(try TableColumns(name, on: plain).names)
    let added = columns.types.filter { !known.contains($0.key) }
    try write(
      encoder.encode(TransferTable(table: name, columns: columns.names, added: added.isEmpty ? nil : added)))
    return try connection.withStatement(for: columns.selection) { statement in
      var text = RowWriter()
      var rows = 0
      while try statement.step() {
        text.append(rowOf: statement, columns: Int32(columns.names.count))
        text.endLine()
        rows += 1
        if text.bytes.count >= Self.bufferSize {
          try output.write(contentsOf: text.bytes)
          text.clear()
          try progress(before + rows)
        }
      }
      try output.write(contentsOf: text.bytes)
      try progress(before + rows)
      return rows
    }
  }

  private func write(_ line: Data) throws { try output.write(contentsOf: line + [UInt8(ascii: "\n")]) }
}
