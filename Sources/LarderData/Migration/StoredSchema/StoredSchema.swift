/// What a store has before a migration, or is to have after it: its tables, found by the classes whose rows are in them.
package struct StoredSchema {
  package let tables: [TableDefinition]
  private var tableIndexes: [String: Int] = [:]

  package init(_ tables: [TableDefinition]) {
    self.tables = tables
    for (place, table) in tables.enumerated() {
      for name in table.classNames { tableIndexes[name] = place }
    }
  }

  package var classNames: [String] { tables.flatMap(\.classNames) }

  package func table(of className: String) -> TableDefinition? { tableIndexes[className].map { tables[$0] } }

  /// What a class has by a property's name; its own and what it inherits.
  package func property(_ name: String, of className: String) -> StoredProperty? {
    guard let table = table(of: className) else { return nil }
    return StoredProperty(name, of: table.lineage(of: className), in: table)
  }
}
