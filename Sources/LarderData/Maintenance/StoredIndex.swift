package import LarderSQLite

/// An index as defined in the file: its name alone does not tell its columns.
package struct StoredIndex {
  package let name: String
  private let isUnique: Bool
  private let isPartial: Bool
  private var keys: [Key] = []

  private struct Key {
    /// The column; `nil` for the row ID and for an expression.
    let column: String?
    let collation: String
    let isDescending: Bool
  }

  /// Returns the index of some columns, by its current name or the name of an earlier version; `nil` if there is none.
  package static func find(
    _ columns: [String], isUnique: Bool, of table: String, on connection: Connection
  ) throws -> StoredIndex? {
    let name = isUnique ? StoreFormat.uniqueIndexName(table, columns) : StoreFormat.indexName(table, columns)
    let former = StoreFormat.legacyIndexName(isUnique: isUnique, table, columns)
    let found = try all(of: table, on: connection)
    return found.first { $0.name == name }
      ?? found.first { $0.name == former && $0.difference(fromColumns: columns, isUnique: isUnique) == nil }
  }

  /// Returns the indexes of a table; empty if the table does not exist.
  static func all(of table: String, on connection: Connection) throws -> [StoredIndex] {
    let sql = "SELECT name, \"unique\", partial FROM pragma_index_list(\(StoreFormat.literal(table)))"
    var indexes = try connection.withStatement(for: sql) { statement in
      var found: [StoredIndex] = []
      while try statement.step() {
        found.append(
          StoredIndex(name: statement.string(0), isUnique: statement.int64(1) != 0, isPartial: statement.int64(2) != 0))
      }
      return found
    }
    for place in indexes.indices { try indexes[place].readKeys(connection) }
    return indexes
  }

  private init(name: String, isUnique: Bool, isPartial: Bool) {
    self.name = name
    self.isUnique = isUnique
    self.isPartial = isPartial
  }

  private mutating func readKeys(_ connection: Connection) throws {
    let sql =
      "SELECT name, coll, \"desc\" FROM pragma_index_xinfo(\(StoreFormat.literal(name))) WHERE key ORDER BY seqno"
    keys = try connection.withStatement(for: sql) { statement in
      var found: [Key] = []
      while try statement.step() {
        found.append(
          Key(
            column: statement.isNull(0) ? nil : statement.string(0), collation: statement.string(1),
            isDescending: statement.int64(2) != 0))
      }
      return found
    }
  }

  /// Returns the difference of the index from the schema, as the rest of a sentence; `nil` if there is none.
  func difference(fromColumns columns: [String], isUnique: Bool) -> String? {
    // Names of columns are not case-sensitive in SQLite.
    guard keys.map({ $0.column?.lowercased() }) == columns.map({ $0.lowercased() }) else {
      let own = keys.map { $0.column ?? "an expression" }.joined(separator: ", ")
      return "is of \(own), and not of \(columns.joined(separator: ", "))"
    }
    if self.isUnique != isUnique { return isUnique ? "is not unique" : "is unique, and should not be" }
    if isPartial { return "is of some of the rows only" }
    if let other = keys.first(where: { $0.collation.uppercased() != "BINARY" }) {
      return "compares \(other.column ?? "") by \(other.collation), and not by its bytes"
    }
    if let other = keys.first(where: \.isDescending) { return "has \(other.column ?? "") in descending order" }
    return nil
  }
}
