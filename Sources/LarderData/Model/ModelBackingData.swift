/// Backing data that holds a value for each property that has been set, by the property's place in the layout.
struct ModelBackingData<Model: PersistentModel>: BackingData {
  var persistentModelID: PersistentIdentifier?
  private(set) var values: [Any?]

  var metadata: Any { Model.schemaMetadata }

  init(for modelType: Model.Type) { values = Array(repeating: nil, count: Model._$layout.properties.count) }

  private func place(_ keyPath: AnyKeyPath) -> Int {
    guard let property = Model._$layout.property(keyPath) else {
      preconditionFailure("\(keyPath) is no persisted property of \(Model._$layout.entityName)")
    }
    return property.index
  }

  private func value<Value>(_ keyPath: KeyPath<Model, Value>) -> Value {
    let property = Model._$layout.properties[place(keyPath)]
    if let value = values[property.index] as? Value { return value }
    if let value = property.defaultValue as? Value { return value }
    // An optional has nil to give.
    if let none = Optional<Any>.none as? Value { return none }
    preconditionFailure(
      "\(Model._$layout.entityName).\(property.name) has no value in this backing data, and no default; set it first")
  }

  private mutating func set<Value>(_ keyPath: KeyPath<Model, Value>, _ value: Value) { values[place(keyPath)] = value }

  func getValue<Value: Decodable>(forKey: KeyPath<Model, Value>) -> Value { value(forKey) }
  func getValue<Value: PersistentModel>(forKey: KeyPath<Model, Value>) -> Value { value(forKey) }
  func getValue<Value: PersistentModel>(forKey: KeyPath<Model, Value?>) -> Value? { value(forKey) }
  func getValue<Value, OtherModel>(forKey: KeyPath<Model, Value>) -> Value
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement { value(forKey) }
  func getValue<Value, OtherModel>(forKey: KeyPath<Model, Value>) -> Value
  where Value: Decodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement { value(forKey) }
  func getTransformableValue<Value>(forKey: KeyPath<Model, Value>) -> Value { value(forKey) }

  mutating func setValue<Value: Encodable>(forKey: KeyPath<Model, Value>, to newValue: Value) { set(forKey, newValue) }
  mutating func setValue<Value: PersistentModel>(forKey: KeyPath<Model, Value>, to newValue: Value) {
    set(forKey, newValue)
  }
  mutating func setValue<Value: PersistentModel>(forKey: KeyPath<Model, Value?>, to newValue: Value?) {
    set(forKey, newValue)
  }
  mutating func setValue<Value, OtherModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement { set(forKey, newValue) }
  mutating func setValue<Value, OtherModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where Value: Encodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement { set(forKey, newValue) }
  mutating func setTransformableValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value) {
    set(forKey, newValue)
  }
}

extension PersistentModel {
  /// The model's present values as backing data.
  public func _$backingData() -> any BackingData<Self> {
    var data = ModelBackingData<Self>(for: Self.self)
    data.persistentModelID = persistentModelID
    for property in Self._$layout.properties { property.copy(from: self, to: &data) }
    return data
  }

  /// Takes the values that backing data has, by the model's own setters.
  public func _$adopt(_ data: any BackingData<Self>) {
    for property in Self._$layout.properties { property.copy(from: data, to: self) }
  }
}

extension PropertyLayout {
  fileprivate func copy<Model: PersistentModel>(from model: Model, to data: inout ModelBackingData<Model>) {
    func open<Value>(_: Value.Type) {
      guard let keyPath = keyPath as? KeyPath<Model, Value> else { return }
      data.setTransformableValue(forKey: keyPath, to: model[keyPath: keyPath])
    }
    _openExistential(valueType, do: open)
  }

  fileprivate func copy<Model: PersistentModel>(from data: any BackingData<Model>, to model: Model) {
    func open<Value>(_: Value.Type) {
      guard let keyPath = keyPath as? ReferenceWritableKeyPath<Model, Value> else { return }
      model[keyPath: keyPath] = data.getTransformableValue(forKey: keyPath)
    }
    _openExistential(valueType, do: open)
  }
}
