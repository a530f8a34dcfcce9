/// What objects are asked for by the key path of a protocol's requirement, in the form in which a store would hold it.
///
/// Which property such a key path is, and whether it is one, is not known (see ``RequirementKeyPath``).
final class AskedValue {
  let codec: AnyPropertyCodec
  private let value: (any PersistentModel) throws -> [StoredValue]

  /// nil for another key path, and for a value that has no stored form.
  convenience init?(_ keyPath: AnyKeyPath, _ layout: ModelLayout) {
    guard RequirementKeyPath.isFirst(keyPath) else { return nil }
    let type = Swift.type(of: keyPath).valueType
    guard let codec = AnyPropertyCodec.makeCodec(for: type) else { return nil }
    func open<Model: PersistentModel>(_ model: Model.Type) -> ((any PersistentModel) throws -> [StoredValue])? {
      func open<Value>(_ type: Value.Type) -> ((any PersistentModel) throws -> [StoredValue])? {
        AskedValue.reading(keyPath as? KeyPath<Model, Value>, codec as? PropertyCodec<Value>, layout)
      }
      return _openExistential(type, do: open)
    }
    guard let value = open(layout.type) else { return nil }
    self.init(codec, value)
  }

  private init(_ codec: AnyPropertyCodec, _ value: @escaping (any PersistentModel) throws -> [StoredValue]) {
    self.codec = codec
    self.value = value
  }

  private static func reading<Model: PersistentModel, Value>(
    _ keyPath: KeyPath<Model, Value>?, _ codec: PropertyCodec<Value>?, _ layout: ModelLayout
  ) -> ((any PersistentModel) throws -> [StoredValue])? {
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
  func values(of object: any PersistentModel) throws -> [StoredValue] { try value(object) }

  /// The same of what is one column.
  func value(of object: any PersistentModel) throws -> StoredValue { try value(object).first ?? .null }
}
