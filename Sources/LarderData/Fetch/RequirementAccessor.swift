/// An accessor that reads the value of a protocol requirement from objects, in stored form.
///
/// The stored property behind such a key path, if there is one, is unknown (see ``RequirementKeyPath``).
final class RequirementAccessor {
  let codec: _AnyPropertyCodec
  private let value: (any PersistentModel) throws -> [_StoredValue]

  /// Returns nil for any other key path, and for a value type without a stored form.
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

  /// Returns the stored form of an object's value, column by column.
  func values(of object: any PersistentModel) throws -> [_StoredValue] { try value(object) }

  /// Returns the stored form of a value with a single column.
  func value(of object: any PersistentModel) throws -> _StoredValue { try value(object).first ?? .null }
}
