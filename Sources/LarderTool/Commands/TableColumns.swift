import LarderData
import LarderSQLite

/// The columns of a table in the file.
struct TableColumns {
  private let table: String
  let names: [String]
  /// The declared types by column name.
  let types: [String: String]
  /// The columns that order the rows.
  private let keys: [String]

  init(_ table: String, on connection: Connection) throws {
    self.table = table
    var names: [String] = []
    var types: [String: String] = [:]
    var keys: [(place: Int64, name: String)] = []
    try connection.withStatement(
      for: "SELECT name, pk, type FROM pragma_table_info(\(StoreFormat.literal(table))) ORDER BY cid"
    ) { statement in
      while try statement.step() {
        names.append(statement.string(0))
        types[statement.string(0)] = statement.string(2)
        if statement.int64(1) > 0 { keys.append((statement.int64(1), statement.string(0))) }
      }
    }
    self.names = names
    self.types = types
    self.keys = keys.sorted { $0.place < $1.place }.map(\.name)
  }

  private func list(_ names: [String]) -> String { names.map(StoreFormat.quoted).joined(separator: ", ") }

  var selection: String { "SELECT \(list(names)) FROM \(StoreFormat.quoted(table)) ORDER BY \(list(keys))" }
}
