/// The schema of a store before or after a migration: its tables, indexed by the classes whose rows they hold.
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

  /// Returns the property of a class by its name, either its own or an inherited one.
  package func property(_ name: String, of className: String) -> StoredProperty? {
    guard let table = table(of: className) else { return nil }
    return StoredProperty(name, of: table.lineage(of: className), in: table)
  }
}
