/// The names that the tables of a store use. Tables and indexes share one namespace.
///
/// The names of additional tables and indexes consist of the class and the property, with `_` in between. So two of them can
/// be equal if a class's name contains a `_`.
package struct StoreNamespace {
  private struct Owner {
    let table: String
    /// The description of the named object.
    let description: String
  }

  /// The owners by the bytes of their names: strings that Swift treats as equal may be two names to SQLite.
  private var owners: [[UInt8]: Owner] = [:]
  /// The sentences about names that are used twice.
  package private(set) var collisions: [String] = []

  package init(_ tables: [TableDefinition]) {
    for table in tables { registerNames(of: table) }
  }

  private mutating func registerNames(of table: TableDefinition) {
    register(table.name, "the table of \(table.name)", table)
    for external in table.externals ?? [] {
      register(external.name, "the table of the values of \(external.property)", table)
    }
    for joinTable in table.joinTables ?? [] {
      register(joinTable.name, "the table of the pairs of \(joinTable.source) and \(joinTable.target)", table)
      for columns in joinTable.indexes {
        register(StoreFormat.indexName(joinTable.name, columns), "an index of these pairs", table)
      }
    }
    for group in table.unique {
      register(
        StoreFormat.uniqueIndexName(table.name, group), "the uniqueness of \(StoreNamespace.describe(group))", table)
    }
    for group in table.indexes where !table.unique.contains(group) {
      register(StoreFormat.indexName(table.name, group), "the index of \(StoreNamespace.describe(group))", table)
    }
  }

  private static func describe(_ columns: [String]) -> String {
    columns.count == 1 ? "\"\(columns[0])\"" : "(\(columns.map { "\"\($0)\"" }.joined(separator: ", ")))"
  }

  /// Returns the bytes with ASCII letters in lower case: SQLite ignores their case in names.
  private static func foldedBytes(_ name: String) -> [UInt8] { name.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 } }

  private mutating func register(_ name: String, _ what: String, _ table: TableDefinition) {
    let owner = Owner(table: table.name, description: what)
    guard let other = owners.updateValue(owner, forKey: StoreNamespace.foldedBytes(name)) else { return }
    let who = other.table == table.name ? table.name : "\(other.table) and \(table.name)"
    collisions.append(
      "\(who) would have two things named \"\(name)\" in the store: \(other.description), and \(what). Rename a property, or a model"
    )
  }
}
