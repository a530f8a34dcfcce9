/// Recognises a model's key path `\.persistentModelID`, or the `\.id` with the same value.
enum IdentifierKeyPath {
  static func isIdentifier(_ keyPath: AnyKeyPath) -> Bool {
    guard type(of: keyPath).valueType == PersistentIdentifier.self,
      let model = type(of: keyPath).rootType as? any PersistentModel.Type
    else { return false }
    return isIdentifier(keyPath, of: model)
  }

  private static func isIdentifier<Model: PersistentModel>(_ keyPath: AnyKeyPath, of type: Model.Type) -> Bool {
    // A model's own `id` is another property than this one, even if it has the same type.
    keyPath == \Model.persistentModelID || keyPath == \Model.id as KeyPath<Model, PersistentIdentifier>
  }
}
