/// A property of a class as the store records it.
package struct StoredProperty {
  package let name: String
  package let table: TableDefinition
  /// The class that declares the property.
  package let declaringClass: String
  /// An attribute's columns, by the part of their names after the property's name.
  package let columns: [String: TableDefinition.Column]
  /// The same columns, in order.
  package let members: [(suffix: String, column: TableDefinition.Column)]
  /// The table of an attribute's external values.
  package let external: ExternalTable?
  package let relationship: StoredRelationship?

  /// Returns `nil` if none of the classes has the property.
  package init?(_ name: String, of line: [String], in table: TableDefinition) {
    self.name = name
    self.table = table
    let owned = table.columns.filter { column in
      column.property == name && line.contains(column.ofClass ?? table.name)
        && !column.name.hasPrefix(StoreFormat.prefix)
    }
    let relationship = table.allRelations.first { $0.name == name && line.contains($0.ofClass) }
    self.relationship = relationship
    let external = table.externals?.first { external in
      external.property == name && external.owner(among: line) != nil
    }
    self.external = external
    members = owned.filter { $0.references == nil }.map { column in
      let prefix = column.ofClass.map { "\($0)_" } ?? ""
      return (String(column.name.dropFirst((prefix + name).count)), column)
    }
    columns = Dictionary(members.map { ($0.suffix, $0.column) }, uniquingKeysWith: { first, _ in first })
    declaringClass =
      relationship?.ofClass ?? owned.first.map { $0.ofClass ?? table.name }
      ?? external?.owner(among: line) ?? table.name
    if relationship == nil, external == nil, columns.isEmpty { return nil }
  }

  /// The former name of the property, if a model has declared it.
  package var originalName: String? {
    table.originalNames?["\(declaringClass).\(name)"] ?? columns.values.lazy.compactMap(\.originalName).first
  }

  /// The foreign key column of a relationship, if it has one.
  package var keyColumn: TableDefinition.Column? {
    relationship?.column.flatMap { key in table.columns.first { $0.name == key } }
  }

  /// Whether an attribute's value is stored in one place, either a column or a table of its own. Otherwise each member
  /// has a column.
  package var isSingleColumn: Bool { external != nil || Set(columns.keys) == [""] }

  /// Whether the whole value may be nil.
  package var isOptional: Bool {
    if let external { return external.isOptional }
    if let presenceColumn { return presenceColumn.form == "presence" }
    return columns[""]?.isOptional ?? keyColumn?.isOptional ?? false
  }

  /// The column that marks an optional composite as present.
  package var presenceColumn: TableDefinition.Column? { columns.count > 1 ? columns[""] : nil }
}
