/// Tells whether a key path is a model's `\.persistentModelID`, or the `\.id` that is the same.
enum IdentifierKeyPath {
  static func isIdentifier(_ keyPath: AnyKeyPath) -> Bool {
    guard type(of: keyPath).valueType == PersistentIdentifier.self,
      let model = type(of: keyPath).rootType as? any PersistentModel.Type
    else { return false }
    return isIdentifier(keyPath, of: model)
  }

  private static func isIdentifier<Model: PersistentModel>(_ keyPath: AnyKeyPath, of type: Model.Type) -> Bool {
    keyPath == \Model.persistentModelID || keyPath == \Model.inheritedID
  }
}

extension PersistentModel {
  /// `id` as this framework declares it, where a model has one of its own too.
  fileprivate var inheritedID: PersistentIdentifier { persistentModelID }
}
