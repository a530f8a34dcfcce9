import LarderData
import LarderSupport

/// Which class of the store a model's rows come from, and which of its properties each property is.
struct EntityMatch {
  struct Property {
    let current: StoredProperty
    /// nil where it is new.
    let original: StoredProperty?
  }

  let name: String
  /// The class's name in the store; nil where it is new to it.
  let originalName: String?
  /// Those that are stored, what is inherited first.
  private(set) var properties: [Property] = []
  private(set) var problems: [String] = []

  /// - Parameters:
  ///   - renamed: The name that the class had in an earlier version, where it says so.
  ///   - models: What the store is to have.
  init(_ name: String, renamedFrom renamed: String?, in models: StoredSchema, from store: StoredSchema) {
    self.name = name
    originalName = EntityMatch.originalName(of: name, renamedFrom: renamed, in: store)
    let all = models.table(of: name)?.propertyNames(of: name).compactMap { models.property($0, of: name) } ?? []
    properties = all.map { now in
      Property(current: now, original: originalName.flatMap { match(now, among: all, $0, store) })
    }
  }

  static func originalName(of name: String, renamedFrom renamed: String?, in store: StoredSchema) -> String? {
    if store.table(of: name) != nil { return name }
    return renamed.flatMap { store.table(of: $0) == nil ? nil : $0 }
  }

  /// What a property was.
  subscript(property: String) -> StoredProperty? { properties.first { $0.current.name == property }?.original }

  private mutating func match(
    _ property: StoredProperty, among all: [StoredProperty], _ former: String, _ store: StoredSchema
  ) -> StoredProperty? {
    let same = store.property(property.name, of: former)
    guard let original = property.originalName, let renamed = store.property(original, of: former) else { return same }
    guard let same, same.originalName != original else { return same ?? renamed }
    // Both are there. What another property takes by its own original name is not this one.
    let others = all.filter { $0.name != property.name }
    if others.contains(where: { $0.originalName == property.name }) { return renamed }
    // Nor is what another one keeps.
    if others.contains(where: { $0.name == original && keepsItsName($0, former, store) }) { return same }
    problems.append(
      "\(name).\(property.name) has the original name \"\(original)\", and the store has both \"\(original)\" and "
        + "\"\(property.name)\". Take originalName away to keep the values of \"\(property.name)\", or rename one of the "
        + "two")
    return same
  }

  /// Whether a property's values are those that have its name in the store already.
  private func keepsItsName(_ property: StoredProperty, _ former: String, _ store: StoredSchema) -> Bool {
    guard let original = property.originalName, store.property(original, of: former) != nil else { return true }
    return store.property(property.name, of: former)?.originalName == original
  }

  /// Whether the class and all of its properties are called as they were.
  var isUnchanged: Bool {
    guard originalName == name else { return false }
    return properties.allSatisfy { $0.original == nil || $0.current.name == $0.original?.name }
  }

  /// Two properties that come from the same one.
  var ambiguityProblems: [String] {
    let owned = properties.compactMap { property in property.original.map { ($0.name, property.current.name) } }
    return Dictionary(grouping: owned, by: \.0).filter { $0.value.count > 1 }.keys.inOrder().map { former in
      let both = owned.filter { $0.0 == former }.map { "\"\($0.1)\"" }.joined(separator: " and ")
      return "\(name) has \(both), which both come from \"\(former)\". Give only one of them the original name"
    }
  }
}
