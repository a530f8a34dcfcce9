/// The definition of a table, as it is created and recorded in the metadata; a later opening is compared with it.
package struct TableDefinition: Codable, Hashable, Sendable {
  package struct Column: Codable, Hashable, Sendable {
    package var name: String
    package var type: _ColumnType
    package var isOptional: Bool
    /// The model's property to which the column belongs, and that property's Swift type.
    package var property: String
    package var valueType: String
    /// The table that the foreign key references.
    package var references: String?
    /// The property's name in an earlier version of the model, if specified.
    package var originalName: String?
    /// The class that declares the property, unless it is the topmost one.
    package var ofClass: String?
    /// The form of the column's contents, unless it is the plain value: `presence`, `json` or `transformed`.
    package var form: String?
    /// The Swift type of the member that the column stores, if the property is a struct; `nil` in stores from before this was
    /// recorded.
    package var memberType: String?
  }

  /// A class of a hierarchy.
  package struct Class: Codable, Hashable, Sendable {
    package var name: String
    package var superclass: String?
  }

  package var name: String
  package var columns: [Column]
  package var unique: [[String]]
  package var indexes: [[String]]
  /// The join tables of the entity's relationships.
  package var joinTables: [JoinTable]?
  /// The tables of values that are stored outside the rows.
  package var externals: [ExternalTable]?
  /// The classes whose rows are in the table, each after its superclass; `nil` if there is one class.
  package var classes: [Class]?
  /// The relationships of the classes; `nil` in stores from before they were recorded.
  package var relationships: [StoredRelationship]?
  /// The names of properties in earlier versions, if a model specifies them: by class, a dot and the property.
  package var originalNames: [String: String]?
  /// The original names that an earlier program specified, and that the last program to open the store does not.
  package var rememberedNames: [String]?

  /// The keys of a stored schema, which are never renamed.
  private enum CodingKeys: String, CodingKey {
    case name, columns, unique, indexes
    case joinTables = "links"
    case externals, classes
    case relationships = "relations"
    case originalNames, rememberedNames
  }

  package init(_ layout: _ModelLayout) { self.init(ModelHierarchy([layout])) }

  package init(_ hierarchy: ModelHierarchy) {
    name = hierarchy.root.entityName
    columns = hierarchy.members.flatMap { TableDefinition.columns(of: $0) }
    unique = []
    indexes = []
    for layout in hierarchy.members {
      let groups = layout.uniqueGroups.map { $0.map { layout.columns[$0].name } }
      unique += groups.filter { !unique.contains($0) }
    }
    for layout in hierarchy.members {
      var groups = layout.indexGroups.map { $0.map { layout.columns[$0].name } }
      for relationship in layout.relationships {
        guard case .foreignKey(let column, let order) = relationship.storage else { continue }
        let index = [layout.columns[column].name] + (order.map { [$0] } ?? [])
        if !groups.contains(index) && !unique.contains(index) { groups.append(index) }
      }
      indexes += groups.filter { !indexes.contains($0) }
    }
    let joinTables = hierarchy.members.flatMap(\.noninheritedRelations).compactMap { relationship -> JoinTable? in
      if case .joinTable(let table, true) = relationship.storage { table } else { nil }
    }
    self.joinTables = joinTables.isEmpty ? nil : joinTables
    let externals = hierarchy.members.flatMap(\.noninheritedProperties).compactMap(\.placement.external)
    self.externals = externals.isEmpty ? nil : externals
    let relationships = hierarchy.members.flatMap { layout in
      layout.noninheritedRelations.map { StoredRelationship($0, of: layout) }
    }
    self.relationships = relationships.isEmpty ? nil : relationships
    let originalNames = hierarchy.members.flatMap { layout in
      layout.noninheritedProperties.compactMap { property in
        property.originalName.map { ("\(layout.entityName).\(property.name)", $0) }
      }
    }
    self.originalNames =
      originalNames.isEmpty ? nil : Dictionary(originalNames, uniquingKeysWith: { first, _ in first })
    guard hierarchy.hasSubclasses else { return }
    classes = hierarchy.members.map { Class(name: $0.entityName, superclass: $0.base?.entityName) }
  }

  /// Returns the columns that a class adds, order columns last.
  private static func columns(of layout: _ModelLayout) -> [Column] {
    let inherited = layout.base?.properties.count ?? 0
    let ofClass = layout.base == nil ? nil : layout.entityName
    let own = layout.declaredColumns.filter { $0.property >= inherited }.map { column in
      let property = layout.properties[column.property]
      return Column(
        name: column.name, type: column.type, isOptional: column.isOptional, property: property.name,
        valueType: ValueTypes.name(of: property.valueType),
        references: property.relationship.map { RelationshipLayout.tableName(of: $0.destination) },
        originalName: property.originalName, ofClass: ofClass, form: column.form.stored,
        memberType: property.codec.members?.type(of: column.suffix[...]).map { ValueTypes.name(of: $0) })
    }
    return own
      + layout.orderColumns.filter { $0.property >= inherited }.map { order in
        Column(
          name: order.name, type: .integer, isOptional: true, property: layout.properties[order.property].name,
          valueType: "Int64", ofClass: ofClass)
      }
  }

  /// Returns a class and its subclasses.
  package func family(of name: String) -> [String] {
    (classes ?? []).reduce(into: [name]) { family, one in
      if let superclass = one.superclass, family.contains(superclass) { family.append(one.name) }
    }
  }

  /// The constraints for required properties of subclasses, whose columns must be nullable.
  package var checks: [String] {
    guard let classes else { return [] }
    func list(_ names: [String]) -> String { names.map(StoreFormat.literal).joined(separator: ", ") }
    return ["CHECK (\(StoreFormat.classColumn) IN (\(list(classes.map(\.name)))))"]
      + classes.compactMap { one in
        let required = columns.filter { $0.ofClass == one.name && !$0.isOptional }
        if required.isEmpty { return nil }
        let present = required.map { "\(StoreFormat.quoted($0.name)) IS NOT NULL" }.joined(separator: " AND ")
        return "CHECK (\(StoreFormat.classColumn) NOT IN (\(list(family(of: one.name)))) OR (\(present)))"
      }
  }

  /// The statements that create the table, its companion tables, and the indexes.
  package var creation: [String] { creation(with: []) }

  /// Returns the same statements with additional column declarations.
  package func creation(with declarations: [String]) -> [String] {
    [tableCreation(with: declarations)] + indexCreation
      + (joinTables ?? []).flatMap { [$0.tableCreation] + $0.indexCreation } + (externals ?? []).map(\.createTable)
  }

  package var tableCreation: String { tableCreation(with: []) }

  package func tableCreation(with declarations: [String]) -> String {
    let q = StoreFormat.quoted
    var lines = [
      "\(StoreFormat.identifierColumn) INTEGER PRIMARY KEY",
      "\(StoreFormat.versionColumn) INTEGER NOT NULL DEFAULT 1",
    ]
    if classes != nil { lines.append("\(StoreFormat.classColumn) TEXT NOT NULL") }
    lines += columns.map { column in
      // Deferred, because a save writes rows that reference each other in any order.
      let reference = column.references.map {
        " REFERENCES \(q($0)) (\(StoreFormat.identifierColumn)) DEFERRABLE INITIALLY DEFERRED"
      }
      let isNullable = column.isOptional || column.ofClass != nil
      return "\(q(column.name)) \(column.type.rawValue)\(isNullable ? "" : " NOT NULL")\(reference ?? "")"
    }
    lines += declarations + checks
    return "CREATE TABLE \(q(name)) (\n  " + lines.joined(separator: ",\n  ") + "\n) STRICT"
  }

  package var indexCreation: [String] {
    let q = StoreFormat.quoted
    return unique.map(uniqueIndexCreation)
      + indexes.filter { !unique.contains($0) }.map { group in
        "CREATE INDEX \(q(StoreFormat.indexName(name, group))) ON \(q(name)) (\(group.map(q).joined(separator: ", ")))"
      }
  }

  package func uniqueIndexCreation(_ group: [String]) -> String {
    let q = StoreFormat.quoted
    return "CREATE UNIQUE INDEX \(q(StoreFormat.uniqueIndexName(name, group))) ON \(q(name)) "
      + "(\(group.map(q).joined(separator: ", ")))"
  }

  /// Returns the differences between the stored table and the model, in words; empty if they match.
  ///
  /// Swift types are not compared: only the stored form decides whether rows can be read.
  package func differences(from model: TableDefinition) -> [String] {
    var result: [String] = []
    for one in classes ?? [] where model.classes?.contains(one) != true && one.name != name {
      result.append("the store has rows of \(one.name), which inherits from \(name); name that model too")
    }
    for one in model.classes ?? [] where classes?.contains(one) != true && one.name != name {
      result.append("the store has no place for \(one.name), which inherits from \(name)")
    }
    if !result.isEmpty { return result }
    func form(_ column: Column) -> String { "\(column.type.rawValue)\(column.isOptional ? "" : " NOT NULL")" }
    for column in model.columns {
      guard let stored = columns.first(where: { $0.name == column.name }) else {
        result.append("the store has no column \"\(column.name)\" (\(form(column)))")
        continue
      }
      if form(stored) != form(column) {
        result.append("\"\(column.name)\" is \(form(stored)) in the store and \(form(column)) in the model")
      } else if let old = stored.references, let new = column.references, old != new {
        result.append("\"\(column.name)\" refers to \(old) in the store and to \(new) in the model")
      }
    }
    for column in columns where !model.columns.contains(where: { $0.name == column.name }) {
      result.append("the model has no property for the column \"\(column.name)\" (\(form(column)))")
    }
    func compare(_ kind: String, _ stored: [[String]], _ wanted: [[String]]) {
      for group in wanted where !stored.contains(group) {
        result.append("the store has no \(kind) on \(group.joined(separator: ", "))")
      }
      for group in stored where !wanted.contains(group) {
        result.append(
          "the store has \(kind == "index" ? "an" : "a") \(kind) on \(group.joined(separator: ", ")) that the model has not"
        )
      }
    }
    compare("uniqueness constraint", unique, model.unique)
    compare("index", indexes, model.indexes)
    for joinTable in model.joinTables ?? [] where joinTables?.contains(joinTable) != true {
      result.append(
        "the store has no table \"\(joinTable.name)\" for the pairs of \(joinTable.source) and \(joinTable.target)")
    }
    for joinTable in joinTables ?? [] where model.joinTables?.contains(joinTable) != true {
      result.append("the model has no relationship for the table \"\(joinTable.name)\"")
    }
    for external in model.externals ?? [] where externals?.contains(where: external.hasSameStorage) != true {
      result.append(
        "the store has no table \"\(external.name)\" for the values of \(external.property), or another one")
    }
    for external in externals ?? [] where model.externals?.contains(where: external.hasSameStorage) != true {
      result.append("the model has no property with .externalStorage for the table \"\(external.name)\"")
    }
    return result
  }
}

extension JoinTable {
  /// The statement that creates the table. A pair is unique, is deleted with either of its rows, and is ordered from both sides.
  package var tableCreation: String {
    let q = StoreFormat.quoted
    let id = StoreFormat.identifierColumn
    func end(_ column: String, _ table: String) -> String {
      "\(column) INTEGER NOT NULL REFERENCES \(q(table)) (\(id)) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED"
    }
    var lines = [
      end(JoinTable.sourceColumn, source), end(JoinTable.targetColumn, target),
      "\(JoinTable.sourceOrderColumn) INTEGER",
    ]
    if isOrderedByTarget { lines.append("\(JoinTable.targetOrderColumn) INTEGER") }
    lines.append("PRIMARY KEY (\(JoinTable.sourceColumn), \(JoinTable.targetColumn))")
    return "CREATE TABLE \(q(name)) (\n  " + lines.joined(separator: ",\n  ") + "\n) STRICT, WITHOUT ROWID"
  }

  /// The columns of each index.
  var indexes: [[String]] {
    [
      [JoinTable.sourceColumn, JoinTable.sourceOrderColumn, JoinTable.targetColumn],
      [JoinTable.targetColumn] + (isOrderedByTarget ? [JoinTable.targetOrderColumn] : []),
    ]
  }

  package var indexCreation: [String] {
    let q = StoreFormat.quoted
    return indexes.map { columns in
      "CREATE INDEX \(q(StoreFormat.indexName(name, columns))) ON \(q(name)) (\(columns.joined(separator: ", ")))"
    }
  }
}
