import LarderData
import LarderSupport

/// Which class of the store a model's rows come from, and which of its properties each property is.
struct ClassMatch {
  struct Property {
    let now: StoredProperty
    /// nil where it is new.
    let former: StoredProperty?
  }

  let name: String
  /// The class's name in the store; nil where it is new to it.
  let former: String?
  /// Those that are stored, what is inherited first.
  private(set) var properties: [Property] = []
  private(set) var problems: [String] = []

  /// - Parameters:
  ///   - renamed: The name that the class had in an earlier version, where it says so.
  ///   - models: What the store is to have.
  init(_ name: String, renamedFrom renamed: String?, in models: StoreShape, from store: StoreShape) {
    self.name = name
    former = ClassMatch.former(of: name, renamedFrom: renamed, in: store)
    let all = models.table(of: name)?.propertyNames(of: name).compactMap { models.property($0, of: name) } ?? []
    properties = all.map { now in
      Property(now: now, former: former.flatMap { match(now, among: all, $0, store) })
    }
  }

  static func former(of name: String, renamedFrom renamed: String?, in store: StoreShape) -> String? {
    if store.table(of: name) != nil { return name }
    return renamed.flatMap { store.table(of: $0) == nil ? nil : $0 }
  }

  /// What a property was.
  subscript(property: String) -> StoredProperty? { properties.first { $0.now.name == property }?.former }

  private mutating func match(
    _ property: StoredProperty, among all: [StoredProperty], _ former: String, _ store: StoreShape
  ) -> StoredProperty? {
    let same = store.property(property.name, of: former)
    guard let original = property.originalName, let renamed = store.property(original, of: former) else { return same }
    guard let same, same.originalName != original else { return same ?? renamed }
    // Both are there. What another property takes by its own original name is not this one.
    let others = all.filter { $0.name != property.name }
    if others.contains(where: { $0.originalName == property.name }) { return renamed }
    // Nor is what another one keeps.
    if others.contains(where: { $0.name == original && keepsItsOwn($0, former, store) }) { return same }
    problems.append(
      "\(name).\(property.name) has the original name \"\(original)\", and the store has both \"\(original)\" and "
        + "\"\(property.name)\". Take originalName away to keep the values of \"\(property.name)\", or rename one of the "
        + "two")
    return same
  }

  /// Whether a property's values are those that have its name in the store already.
  private func keepsItsOwn(_ property: StoredProperty, _ former: String, _ store: StoreShape) -> Bool {
    guard let original = property.originalName, store.property(original, of: former) != nil else { return true }
    return store.property(property.name, of: former)?.originalName == original
  }

  /// Whether the class and all of its properties are called as they were.
  var isUnchanged: Bool {
    guard former == name else { return false }
    return properties.allSatisfy { $0.former == nil || $0.now.name == $0.former?.name }
  }

  /// Two properties that come from the same one.
  var doubles: [String] {
    let owned = properties.compactMap { property in property.former.map { ($0.name, property.now.name) } }
    return Dictionary(grouping: owned, by: \.0).filter { $0.value.count > 1 }.keys.inOrder().map { former in
      let both = owned.filter { $0.0 == former }.map { "\"\($0.1)\"" }.joined(separator: " and ")
      return "\(name) has \(both), which both come from \"\(former)\". Give only one of them the original name"
    }
  }
}
