// The classes whose rows are in a table, and the columns of each class.

extension TableDefinition {
  /// Returns the names of a class's properties, inherited ones first.
  package func propertyNames(of className: String) -> [String] {
    lineage(of: className).reduce(into: []) { names, one in
      let own =
        columns.filter { ($0.ofClass ?? name) == one }.map(\.property)
        + (externals ?? []).filter { $0.owner(among: [one]) != nil }.map(\.property)
        + allRelations.filter { $0.ofClass == one }.map(\.name)
      for property in own where !names.contains(property) { names.append(property) }
    }
  }

  /// The classes whose rows are in the table.
  package var classNames: [String] { classes?.map(\.name) ?? [name] }

  /// The names of the join tables and external tables that belong to the table.
  package var companionTables: [String] { (joinTables ?? []).map(\.name) + (externals ?? []).map(\.name) }

  /// Returns a class and its superclasses, from the topmost down.
  package func lineage(of className: String) -> [String] {
    var line = [className]
    // A schema that another program has written may contain a class that inherits from itself.
    while let one = classes?.first(where: { $0.name == line[0] }), let superclass = one.superclass,
      !line.contains(superclass)
    {
      line.insert(superclass, at: 0)
    }
    return line
  }

  /// Returns the condition that a row is of one of the specified classes; `nil` if all rows are.
  package func classCondition(_ names: [String], as alias: String) -> String? {
    guard classes != nil, Set(names) != Set(classNames) else { return nil }
    return "\(alias).\(StoreFormat.classColumn) IN (\(names.map(StoreFormat.literal).joined(separator: ", ")))"
  }

  /// The relationships. For stores from before relationships were kept: those that have a column or a table.
  package var allRelations: [StoredRelationship] {
    if let relationships { return relationships }
    let keys = columns.compactMap { column -> StoredRelationship? in
      guard let destination = column.references else { return nil }
      let prefix = column.ofClass.map { "\($0)_" } ?? ""
      let order = StoreFormat.orderColumn(prefix + column.property)
      return StoredRelationship(
        name: column.property, ofClass: column.ofClass ?? name, destination: destination, isToMany: false,
        column: column.name, order: columns.contains { $0.name == order } ? order : nil)
    }
    let pairs = (joinTables ?? []).compactMap { joinTable -> StoredRelationship? in
      let owners = classNames.filter { joinTable.name.hasPrefix(StoreFormat.joinTable($0, "")) }
      guard let owner = owners.max(by: { $0.utf8.count < $1.utf8.count }) else { return nil }
      return StoredRelationship(
        name: String(joinTable.name.dropFirst(StoreFormat.joinTable(owner, "").count)), ofClass: owner,
        destination: joinTable.target, isToMany: true, joinTable: joinTable, isSource: true)
    }
    return keys + pairs
  }
}
