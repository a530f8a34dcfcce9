// Values by key path, as generic code over models reads and writes them: the model's own accessors do the work.

extension PersistentModel {
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
  public func getTransformableValue<Value>(forKey: KeyPath<Self, Value>) -> Value { self[keyPath: forKey] }

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
