/// The values of a model outside the model, from which `init(backingData:)` creates a model.
///
/// Custom stores and generic code use it; models that are fetched, or created by their own initializers, need none.
public protocol BackingData<Model> {
  associatedtype Model: PersistentModel

  /// Creates backing data without values.
  init(for modelType: Model.Type)
  /// The identifier of the model, or `nil` for a new one.
  var persistentModelID: PersistentIdentifier? { get set }
  /// The metadata of the model's properties.
  var metadata: Any { get }

  /// Returns the value of a property.
  func getValue<Value>(forKey: KeyPath<Model, Value>) -> Value where Value: Decodable
  func getValue<Value>(forKey: KeyPath<Model, Value>) -> Value where Value: PersistentModel
  func getValue<Value>(forKey: KeyPath<Model, Value?>) -> Value? where Value: PersistentModel
  func getValue<Value, OtherModel>(forKey: KeyPath<Model, Value>) -> Value
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement
  func getValue<Value, OtherModel>(forKey: KeyPath<Model, Value>) -> Value
  where Value: Decodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement
  /// Returns the value of a property of any type.
  func getTransformableValue<Value>(forKey: KeyPath<Model, Value>) -> Value

  /// Sets the value of a property.
  mutating func setValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value) where Value: Encodable
  mutating func setValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value) where Value: PersistentModel
  mutating func setValue<Value>(forKey: KeyPath<Model, Value?>, to newValue: Value?) where Value: PersistentModel
  mutating func setValue<Value, OtherModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement
  mutating func setValue<Value, OtherModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where Value: Encodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement
  /// Sets the value of a property of any type.
  mutating func setTransformableValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value)
}

/// The type of a to-many relationship: an array of models, or an optional one.
public protocol RelationshipCollection {
  /// The class of the related models.
  associatedtype PersistentElement: PersistentModel
}

extension Array: RelationshipCollection where Element: PersistentModel {
  public typealias PersistentElement = Element
}

extension Optional: RelationshipCollection where Wrapped: Sequence, Wrapped.Element: PersistentModel {
  public typealias PersistentElement = Wrapped.Element
}

extension PersistentModel {
  /// Creates backing data without values, to be filled and passed to `init(backingData:)`.
  public static func createBackingData<P>() -> some BackingData<P> where P: PersistentModel {
    ModelBackingData<P>(for: P.self)
  }
}
