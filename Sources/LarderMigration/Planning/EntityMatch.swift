import LarderData
import LarderSupport

/// The correspondence between a model and a class of the store, and between their properties.
struct EntityMatch {
  struct Property {
    let current: StoredProperty
    /// The property in the store; `nil` for a new property.
    let original: StoredProperty?
  }

  let name: String
  /// The class's name in the store; `nil` for a new class.
  let originalName: String?
  /// The stored properties, inherited ones first.
  private(set) var properties: [Property] = []
  private(set) var problems: [String] = []

  /// - Parameters:
  ///   - renamed: The class's name in an earlier version, if it declares one.
  ///   - models: The schema of the models.
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

  /// Returns the former property of a property.
  subscript(property: String) -> StoredProperty? { properties.first { $0.current.name == property }?.original }

  private mutating func match(
    _ property: StoredProperty, among all: [StoredProperty], _ former: String, _ store: StoredSchema
  ) -> StoredProperty? {
    let same = store.property(property.name, of: former)
    guard let original = property.originalName, let renamed = store.property(original, of: former) else { return same }
    guard let same, same.originalName != original else { return same ?? renamed }
    // Both exist. A property that another one claims by its original name is not this one.
    let others = all.filter { $0.name != property.name }
    if others.contains(where: { $0.originalName == property.name }) { return renamed }
    // Nor is a property that another one keeps.
    if others.contains(where: { $0.name == original && keepsItsName($0, former, store) }) { return same }
    problems.append(
      "\(name).\(property.name) has the original name \"\(original)\", and the store has both \"\(original)\" and "
        + "\"\(property.name)\". Take originalName away to keep the values of \"\(property.name)\", or rename one of the "
        + "two")
    return same
  }

  /// Whether a property keeps the values that the store has under its name.
  private func keepsItsName(_ property: StoredProperty, _ former: String, _ store: StoredSchema) -> Bool {
    guard let original = property.originalName, store.property(original, of: former) != nil else { return true }
    return store.property(property.name, of: former)?.originalName == original
  }

  /// Whether the class and all of its properties have the same names as before.
  var isUnchanged: Bool {
    guard originalName == name else { return false }
    return properties.allSatisfy { $0.original == nil || $0.current.name == $0.original?.name }
  }

  /// The problems of properties that come from the same former property.
  var ambiguityProblems: [String] {
    let owned = properties.compactMap { property in property.original.map { ($0.name, property.current.name) } }
    return Dictionary(grouping: owned, by: \.0).filter { $0.value.count > 1 }.keys.inOrder().map { former in
      let both = owned.filter { $0.0 == former }.map { "\"\($0.1)\"" }.joined(separator: " and ")
      return "\(name) has \(both), which both come from \"\(former)\". Give only one of them the original name"
    }
  }
}
