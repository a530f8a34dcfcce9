/// The names of key paths: those in a model's metadata, and those of its composites' members.
package enum KeyPathNames {
  /// Returns the name of each key path with a column in the model. The name of a composite's member is the composite's name,
  /// a dot and its own name. A member of an optional composite is found by `\.place!.name`; a key path for
  /// `\.place?.name` cannot be built from its parts.
  package static func all(in model: any PersistentModel.Type) -> [AnyKeyPath: String] {
    var names: [AnyKeyPath: String] = [:]
    for property in model.schemaMetadata where !(property.metadata is any ModelConstraint) {
      addName(property.keypath, property.name, to: &names)
    }
    if _getSuperclass(model) is any PersistentModel.Type {
      for property in model._$layout.properties { addName(property.layoutKeyPath, property.name, to: &names) }
    }
    return names
  }

  private static func addName(_ keyPath: AnyKeyPath, _ name: String, to names: inout [AnyKeyPath: String]) {
    names[keyPath] = name
    let type = Swift.type(of: keyPath).valueType
    guard let members = CompositeMembers.of(type) else { return }
    let whole = (type as? any OptionalType.Type).map { keyPath.appending(path: $0.forceUnwrapKeyPath) }
    for member in members {
      guard let path = (whole ?? keyPath)?.appending(path: member.keyPath) else { continue }
      names[path] = name + "." + member.name
    }
  }

  static func names<T: PersistentModel>(
    _ keyPaths: [PartialKeyPath<T>], in model: T.Type, to encoder: any Encoder
  ) throws -> [String] {
    let known = all(in: model)
    return try keyPaths.map { keyPath in
      if let name = known[keyPath] { return name }
      throw EncodingError.invalidValue(
        keyPath,
        EncodingError.Context(
          codingPath: encoder.codingPath,
          debugDescription: "\(ReadableKeyPath.text(keyPath)) is not a persisted property of \(model)."))
    }
  }

  static func keyPaths<T: PersistentModel>(
    _ names: [String], in model: T.Type, from decoder: any Decoder
  ) throws -> [PartialKeyPath<T>] {
    let known = all(in: model)
    return try names.map { name in
      if let keyPath = known.first(where: { $0.value == name })?.key as? PartialKeyPath<T> { return keyPath }
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath, debugDescription: "\(model) has no persisted property \(name)."))
    }
  }
}
