/// What objects are asked for by the key path of a protocol's requirement, in the form in which a store would hold it.
///
/// Which property such a key path is, and whether it is one, is not known (see ``RequirementKeyPath``).
final class RequirementAccessor {
  let codec: _AnyPropertyCodec
  private let value: (any PersistentModel) throws -> [_StoredValue]

  /// nil for another key path, and for a value that has no stored form.
  convenience init?(_ keyPath: AnyKeyPath, _ layout: _ModelLayout) {
    guard RequirementKeyPath.beginsWithRequirement(keyPath) else { return nil }
    let type = Swift.type(of: keyPath).valueType
    guard let codec = _AnyPropertyCodec.makeCodec(for: type) else { return nil }
    func open<Model: PersistentModel>(_ model: Model.Type) -> ((any PersistentModel) throws -> [_StoredValue])? {
      func open<Value>(_ type: Value.Type) -> ((any PersistentModel) throws -> [_StoredValue])? {
        RequirementAccessor.makeReader(keyPath as? KeyPath<Model, Value>, codec as? _PropertyCodec<Value>, layout)
      }
      return _openExistential(type, do: open)
    }
    guard let value = open(layout.type) else { return nil }
    self.init(codec, value)
  }

  private init(_ codec: _AnyPropertyCodec, _ value: @escaping (any PersistentModel) throws -> [_StoredValue]) {
    self.codec = codec
    self.value = value
  }

  private static func makeReader<Model: PersistentModel, Value>(
    _ keyPath: KeyPath<Model, Value>?, _ codec: _PropertyCodec<Value>?, _ layout: _ModelLayout
  ) -> ((any PersistentModel) throws -> [_StoredValue])? {
    guard let keyPath, let codec else { return nil }
    return { object in
      guard let model = object as? Model else { throw PredicateFailure.unexpectedValue }
      let stored = StoredColumns(layout) { codec.write(model[keyPath: keyPath], to: &$0) }
      guard let problem = stored.problem else { return stored.values }
      throw FetchError(
        .unreadableValue, entityName: layout.entityName, identifier: object.persistentModelID,
        "What \(layout.entityName) has for a protocol's requirement (\(Value.self)) cannot be compared: \(problem.reason). "
          + "Give it another value.")
    }
  }

  /// The stored form of an object's value, column by column.
  func values(of object: any PersistentModel) throws -> [_StoredValue] { try value(object) }

  /// The same of what is one column.
  func value(of object: any PersistentModel) throws -> _StoredValue { try value(object).first ?? .null }
}
