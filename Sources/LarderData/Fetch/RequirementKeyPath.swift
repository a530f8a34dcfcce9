import Foundation

/// Key paths of what a protocol requires, as a generic function has them: `\Row.key`, where `Row` is a type parameter.
///
/// Such a key path knows the requirement by its place in the protocol and no name, so which property of a class meets it, and
/// whether that is stored, cannot be told. An object can be asked for the value.
enum RequirementKeyPath {
  static func isRequirement(_ keyPath: AnyKeyPath) -> Bool {
    guard type(of: keyPath).rootType is any PersistentModel.Type else { return false }
    return KeyPathIdentities.isOfRequirement(keyPath)
  }

  /// Whether its first step is to what a protocol requires: of what comes after that, no more is known.
  static func beginsWithRequirement(_ keyPath: AnyKeyPath) -> Bool {
    guard type(of: keyPath).rootType is any PersistentModel.Type else { return false }
    return KeyPathIdentities.beginsWithRequirement(keyPath)
  }

  /// What to do, where no object can be asked.
  ///
  /// - Parameter use: Where the key path stands, such as `SortDescriptor(%)`, with a mark for itself.
  static func advice(_ keyPath: AnyKeyPath, _ layout: _ModelLayout, _ use: String) -> String {
    let value = type(of: keyPath).valueType
    let names = layout.properties.filter { $0.valueType == value }.map { "\\\(layout.entityName).\($0.name)" }
    let example = names.first ?? "\\\(layout.entityName).name"
    return
      "The key path of a protocol's requirement (\(value)) does not tell which property of \(layout.entityName) it is. "
      + "Write it over the class, as in \(use.replacingOccurrences(of: "%", with: example)), or pass the key path of the class "
      + "to the generic function."
  }
}
