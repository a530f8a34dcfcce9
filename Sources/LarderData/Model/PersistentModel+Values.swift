// Values by key path, for generic code over models, through the model's own accessors.

extension PersistentModel {
  /// Returns the value of a property.
  @_disfavoredOverload
  public func getValue<Value>(forKey: KeyPath<Self, Value>) -> Value where Value: Decodable { self[keyPath: forKey] }
  public func getValue<Value>(forKey: KeyPath<Self, Value>) -> Value where Value: PersistentModel {
    self[keyPath: forKey]
  }
  public func getValue<Value>(forKey: KeyPath<Self, Value?>) -> Value? where Value: PersistentModel {
    self[keyPath: forKey]
  }
  public func getValue<Value, OtherModel>(forKey: KeyPath<Self, Value>) -> Value
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement { self[keyPath: forKey] }
  public func getValue<Value, OtherModel>(forKey: KeyPath<Self, Value>) -> Value
  where Value: Decodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement { self[keyPath: forKey] }
  /// Returns the value of a property of any type.
  public func getTransformableValue<Value>(forKey: KeyPath<Self, Value>) -> Value { self[keyPath: forKey] }

  /// Sets the value of a property.
  @_disfavoredOverload
  public func setValue<Value>(forKey: KeyPath<Self, Value>, to newValue: Value) where Value: Encodable {
    _$setValue(forKey, newValue)
  }
  public func setValue<Value>(forKey: KeyPath<Self, Value>, to newValue: Value) where Value: PersistentModel {
    _$setValue(forKey, newValue)
  }
  public func setValue<Value>(forKey: KeyPath<Self, Value?>, to newValue: Value?) where Value: PersistentModel {
    _$setValue(forKey, newValue)
  }
  public func setValue<Value, OtherModel>(forKey: KeyPath<Self, Value>, to newValue: Value)
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement { _$setValue(forKey, newValue) }
  public func setValue<Value, OtherModel>(forKey: KeyPath<Self, Value>, to newValue: Value)
  where Value: Encodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement {
    _$setValue(forKey, newValue)
  }
  /// Sets the value of a property of any type.
  public func setTransformableValue<Value>(forKey: KeyPath<Self, Value>, to newValue: Value) {
    _$setValue(forKey, newValue)
  }

  private func _$setValue<Value>(_ keyPath: KeyPath<Self, Value>, _ value: Value) {
    guard let keyPath = keyPath as? ReferenceWritableKeyPath<Self, Value> else {
      preconditionFailure(
        "\(ReadableKeyPath.text(keyPath)) cannot be set: it is no stored property of \(Self._$layout.entityName)")
    }
    self[keyPath: keyPath] = value
  }
}
