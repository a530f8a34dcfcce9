/// The names that tables take in a store, which has one room for those of tables and indexes.
///
/// What lies beside a table is named after the class and the property, with `_` between them. So two of them can have one name
/// where a class's name has a `_`.
package struct StoreNames {
  private struct Owner {
    let table: String
    /// What has the name, in words.
    let what: String
  }

  /// By the bytes of their names: text that Swift takes for equal may be two names to SQLite.
  private var owners: [[UInt8]: Owner] = [:]
  /// What would have a name that something else has already, in sentences.
  package private(set) var clashes: [String] = []

  package init(_ tables: [TableDefinition]) {
    for table in tables { add(table) }
  }

  private mutating func add(_ table: TableDefinition) {
    add(table.name, "the table of \(table.name)", table)
    for external in table.externals ?? [] {
      add(external.name, "the table of the values of \(external.property)", table)
    }
    for link in table.links ?? [] {
      add(link.name, "the table of the pairs of \(link.source) and \(link.target)", table)
      for columns in link.indexes { add(StoreFormat.index(link.name, columns), "an index of these pairs", table) }
    }
    for group in table.unique {
      add(StoreFormat.uniqueIndex(table.name, group), "the uniqueness of \(StoreNames.told(group))", table)
    }
    for group in table.indexes where !table.unique.contains(group) {
      add(StoreFormat.index(table.name, group), "the index of \(StoreNames.told(group))", table)
    }
  }

  private static func told(_ columns: [String]) -> String {
    columns.count == 1 ? "\"\(columns[0])\"" : "(\(columns.map { "\"\($0)\"" }.joined(separator: ", ")))"
  }

  /// SQLite knows no case of ASCII's letters in names.
  private static func key(_ name: String) -> [UInt8] { name.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 } }

  private mutating func add(_ name: String, _ what: String, _ table: TableDefinition) {
    let owner = Owner(table: table.name, what: what)
    guard let other = owners.updateValue(owner, forKey: StoreNames.key(name)) else { return }
    let who = other.table == table.name ? table.name : "\(other.table) and \(table.name)"
    clashes.append(
      "\(who) would have two things named \"\(name)\" in the store: \(other.what), and \(what). Rename a property, or a model"
    )
  }
}
