/// Which class of the store a model's rows come from, and which of its properties each property is.
struct ClassMatch {
  let layout: ModelLayout
  /// The class's name in the store; nil where it is new to it.
  let former: String?
  private(set) var properties: [FormerProperty?] = []
  private(set) var problems: [String] = []

  init(_ layout: ModelLayout, in store: FormerStore) {
    self.layout = layout
    former = ClassMatch.former(of: layout, in: store)
    properties = layout.properties.map { _ in nil }
    guard let former else { return }
    for property in layout.properties where !property.placement.isEphemeral {
      properties[property.index] = match(property, former, store)
    }
  }

  static func former(of layout: ModelLayout, in store: FormerStore) -> String? {
    if store.table(of: layout.entityName) != nil { return layout.entityName }
    guard let renamed = layout.type as? any RenamedModel.Type else { return nil }
    return store.table(of: renamed.originalEntityName) == nil ? nil : renamed.originalEntityName
  }

  private mutating func match(_ property: PropertyLayout, _ former: String, _ store: FormerStore) -> FormerProperty? {
    let same = store.property(property.name, of: former)
    guard let original = property.originalName, let renamed = store.property(original, of: former) else { return same }
    guard let same, same.originalName != original else { return same ?? renamed }
    // Both are there. What another property takes by its own original name is not this one.
    let others = layout.properties.filter { $0.index != property.index }
    if others.contains(where: { $0.originalName == property.name }) { return renamed }
    if others.contains(where: { $0.name == original }) { return same }
    problems.append(
      "\(layout.entityName).\(property.name) has the original name \"\(original)\", and the store has both "
        + "\"\(original)\" and \"\(property.name)\". Take originalName away to keep the values of \"\(property.name)\", or "
        + "rename one of the two")
    return same
  }

  /// Whether the class and all of its properties are called as they were.
  var isUnchanged: Bool {
    guard former == layout.entityName else { return false }
    return zip(layout.properties, properties).allSatisfy { $1 == nil || $0.name == $1?.name }
  }

  /// Two properties that come from the same one.
  var doubles: [String] {
    let owned = zip(layout.properties, properties).compactMap { property, former in
      former.map { ($0.name, property.name) }
    }
    return Dictionary(grouping: owned, by: \.0).filter { $0.value.count > 1 }.keys.sorted().map { name in
      let both = owned.filter { $0.0 == name }.map { "\"\($0.1)\"" }.joined(separator: " and ")
      return
        "\(layout.entityName) has \(both), which both come from \"\(name)\". Give only one of them the original name"
    }
  }
}
