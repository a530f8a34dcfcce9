import LarderSQLite

/// A summary of a store's schema: the columns and relationships of its classes.
package struct SchemaSummary {
  package struct Attribute {
    package let name: String
    package let type: _ColumnType
    /// The name of the property's type in Swift.
    package let valueType: String
    /// The encoding of the column, if it does not hold the value itself.
    package let form: String?
    /// The class of the referenced rows.
    package let destination: String?
  }

  package struct Relationship {
    package let name: String
    package let destination: String
    package let isToMany: Bool
    /// A query of `owner`, `other` and `owner_order`.
    package let pairs: String
  }

  package struct Entity {
    package let name: String
    package let superclass: String?
    package let table: String
    /// The condition that a row `f` of the table is of the class or a subclass; `nil` if all rows are.
    package let condition: String?
    /// The columns of the class and its superclasses.
    package let attributes: [Attribute]
    package let externals: [ExternalTable]
    /// The relationships without a column in the row.
    package let relationships: [Relationship]
  }

  package let entities: [Entity]

  package init(_ tables: [TableDefinition]) {
    let shape = StoredSchema(tables)
    entities = tables.flatMap { table in
      table.classNames.map { name in
        let line = table.lineage(of: name)
        let relationships = table.allRelations.filter { line.contains($0.ofClass) }
        let columns = table.columns.filter { column in
          line.contains(column.ofClass ?? table.name) && !column.name.hasPrefix(StoreFormat.prefix)
        }
        return Entity(
          name: name, superclass: table.classes?.first { $0.name == name }?.superclass, table: table.name,
          condition: table.classCondition(table.family(of: name), as: "f"),
          attributes: columns.map { column in
            Attribute(
              name: column.name, type: column.type, valueType: column.valueType, form: column.form,
              destination: relationships.first { $0.column == column.name }?.destination ?? column.references)
          },
          externals: (table.externals ?? []).filter { $0.owner(among: line) != nil },
          relationships: relationships.filter { $0.column == nil }.compactMap { relationship in
            StoredRelationshipPairs(relationship, in: shape, TemporaryTableNames()).map {
              Relationship(
                name: relationship.name, destination: relationship.destination, isToMany: relationship.isToMany,
                pairs: $0.query)
            }
          })
      }
    }
  }
}
