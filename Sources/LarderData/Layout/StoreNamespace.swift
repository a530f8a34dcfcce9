/// The names that tables take in a store, which has one room for those of tables and indexes.
///
/// What lies beside a table is named after the class and the property, with `_` between them. So two of them can have one name
/// where a class's name has a `_`.
package struct StoreNamespace {
  private struct Owner {
    let table: String
    /// What has the name, in words.
    let description: String
  }

  /// By the bytes of their names: text that Swift takes for equal may be two names to SQLite.
  private var owners: [[UInt8]: Owner] = [:]
  /// What would have a name that something else has already, in sentences.
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

  /// SQLite knows no case of ASCII's letters in names.
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
