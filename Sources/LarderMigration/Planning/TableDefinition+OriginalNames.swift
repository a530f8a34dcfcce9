import LarderData
import LarderSupport

extension TableDefinition {
  /// Returns the definition with the original names that the store records and the models omit, as the models of an
  /// earlier program may. Otherwise a later program that declares them would rename the values a second time.
  func carryingOverOriginalNames(of store: StoredSchema, _ matches: EntityMatches) -> TableDefinition {
    var remembering = self
    for match in classNames.compactMap({ matches[$0] }) {
      for property in match.properties
      where property.current.declaringClass == match.name && property.current.originalName == nil {
        guard let former = property.original, former.name == property.current.name, former.declaringClass == match.name,
          let original = former.originalName
        else { continue }
        // A new property of that name is a different one.
        if match.properties.contains(where: { $0.current.name == original && $0.original == nil }) { continue }
        remembering.adoptOriginalName(of: former)
      }
    }
    return remembering
  }

  /// The definition with only the original names that its models declare.
  var withoutRememberedNames: TableDefinition {
    guard let rememberedNames else { return self }
    var own = self
    own.rememberedNames = nil
    for key in rememberedNames { own.originalNames?[key] = nil }
    if own.originalNames?.isEmpty == true { own.originalNames = nil }
    for (place, column) in columns.enumerated()
    where rememberedNames.contains("\(column.ofClass ?? name).\(column.property)") {
      own.columns[place].originalName = nil
    }
    return own
  }

  private mutating func adoptOriginalName(of former: StoredProperty) {
    let key = "\(former.declaringClass).\(former.name)"
    rememberedNames = ((rememberedNames ?? []) + [key]).inOrder()
    if let original = former.table.originalNames?[key] {
      originalNames = (originalNames ?? [:]).merging([key: original]) { $1 }
    }
    for (place, column) in columns.enumerated() where column.property == former.name {
      let same = former.table.columns.first { $0.name == column.name && $0.ofClass == column.ofClass }
      if let original = same?.originalName { columns[place].originalName = original }
    }
  }
}
