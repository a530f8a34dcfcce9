import Foundation

/// Key paths of protocol requirements, as in a generic function: `\Row.key`, where `Row` is a type parameter.
///
/// Such a key path stores the requirement's index in the protocol and no name. So the property that implements it in a class,
/// and whether this property is stored, are unknown. But the value can be read from an object.
enum RequirementKeyPath {
  static func isRequirement(_ keyPath: AnyKeyPath) -> Bool {
    guard type(of: keyPath).rootType is any PersistentModel.Type else { return false }
    return KeyPathIdentities.isOfRequirement(keyPath)
  }

  /// Returns whether the first step is to a protocol requirement. The steps after it are unknown.
  static func beginsWithRequirement(_ keyPath: AnyKeyPath) -> Bool {
    guard type(of: keyPath).rootType is any PersistentModel.Type else { return false }
    return KeyPathIdentities.beginsWithRequirement(keyPath)
  }

  /// Returns the advice for the error text, where the value cannot be read from an object.
  ///
  /// - Parameter use: The code around the key path, such as `SortDescriptor(%)`, with a placeholder for the key path.
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
