// A table by the classes whose rows are in it, and what each of these has of it.

extension TableDefinition {
  /// The names of what a class has, what it inherits first.
  package func propertyNames(of className: String) -> [String] {
    line(of: className).reduce(into: []) { names, one in
      let own =
        columns.filter { ($0.ofClass ?? name) == one }.map(\.property)
        + (externals ?? []).filter { $0.owner(among: [one]) != nil }.map(\.property)
        + allRelations.filter { $0.ofClass == one }.map(\.name)
      for property in own where !names.contains(property) { names.append(property) }
    }
  }

  /// The classes whose rows are in the table.
  package var classNames: [String] { classes?.map(\.name) ?? [name] }

  /// The names of the tables that belong to it.
  package var tablesBeside: [String] { (links ?? []).map(\.name) + (externals ?? []).map(\.name) }

  /// The classes above one and itself, from the topmost down.
  package func line(of className: String) -> [String] {
    var line = [className]
    // A schema that somebody has written may have classes that inherit from themselves.
    while let one = classes?.first(where: { $0.name == line[0] }), let superclass = one.superclass,
      !line.contains(superclass)
    {
      line.insert(superclass, at: 0)
    }
    return line
  }

  /// The condition that a row is of one of some classes; nil where all rows are.
  package func isOfClass(_ names: [String], as alias: String) -> String? {
    guard classes != nil, Set(names) != Set(classNames) else { return nil }
    return "\(alias).\(StoreFormat.classColumn) IN (\(names.map(StoreFormat.literal).joined(separator: ", ")))"
  }

  /// The relationships, also of a store that was made before they were kept: those that have a column or a table.
  package var allRelations: [StoredRelation] {
    if let relations { return relations }
    let keys = columns.compactMap { column -> StoredRelation? in
      guard let destination = column.references else { return nil }
      let prefix = column.ofClass.map { "\($0)_" } ?? ""
      let order = StoreFormat.orderColumn(prefix + column.property)
      return StoredRelation(
        name: column.property, ofClass: column.ofClass ?? name, destination: destination, isToMany: false,
        column: column.name, order: columns.contains { $0.name == order } ? order : nil)
    }
    let pairs = (links ?? []).compactMap { link -> StoredRelation? in
      let owners = classNames.filter { link.name.hasPrefix(StoreFormat.linkTable($0, "")) }
      guard let owner = owners.max(by: { $0.utf8.count < $1.utf8.count }) else { return nil }
      return StoredRelation(
        name: String(link.name.dropFirst(StoreFormat.linkTable(owner, "").count)), ofClass: owner,
        destination: link.target, isToMany: true, link: link, isSource: true)
    }
    return keys + pairs
  }
}
