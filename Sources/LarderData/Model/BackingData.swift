/// A model's values outside the model: what `init(backingData:)` makes a model from.
///
/// Custom stores and generic code use it; models that are fetched or made by their own initializers do without.
public protocol BackingData<Model> {
  associatedtype Model: PersistentModel

  init(for modelType: Model.Type)
  var persistentModelID: PersistentIdentifier? { get set }
  var metadata: Any { get }

  func getValue<Value>(forKey: KeyPath<Model, Value>) -> Value where Value: Decodable
  func getValue<Value>(forKey: KeyPath<Model, Value>) -> Value where Value: PersistentModel
  func getValue<Value>(forKey: KeyPath<Model, Value?>) -> Value? where Value: PersistentModel
  func getValue<Value, OtherModel>(forKey: KeyPath<Model, Value>) -> Value
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement
  func getValue<Value, OtherModel>(forKey: KeyPath<Model, Value>) -> Value
  where Value: Decodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement
  func getTransformableValue<Value>(forKey: KeyPath<Model, Value>) -> Value

  mutating func setValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value) where Value: Encodable
  mutating func setValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value) where Value: PersistentModel
  mutating func setValue<Value>(forKey: KeyPath<Model, Value?>, to newValue: Value?) where Value: PersistentModel
  mutating func setValue<Value, OtherModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement
  mutating func setValue<Value, OtherModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where Value: Encodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement
  mutating func setTransformableValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value)
}

/// The models that a to-many relationship holds: an array, or an optional one.
public protocol RelationshipCollection {
  associatedtype PersistentElement: PersistentModel
}

extension Array: RelationshipCollection where Element: PersistentModel {
  public typealias PersistentElement = Element
}

extension Optional: RelationshipCollection where Wrapped: Sequence, Wrapped.Element: PersistentModel {
  public typealias PersistentElement = Wrapped.Element
}

extension PersistentModel {
  /// Backing data without values, to be filled and given to `init(backingData:)`.
  public static func createBackingData<P>() -> some BackingData<P> where P: PersistentModel {
    ModelBackingData<P>(for: P.self)
  }
}
