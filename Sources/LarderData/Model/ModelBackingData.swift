/// Backing data that holds a value for each property that has been set, by the property's index in the layout.
///
/// A class: a snapshot assigns its values to backing data that other code holds.
final class ModelBackingData<Model: PersistentModel>: BackingData, IndexedValues {
  var persistentModelID: PersistentIdentifier?
  /// The layout of the class whose values these are: the model's class, or a subclass.
  let layout: _ModelLayout
  var values: [Any?]

  var metadata: Any { Model.schemaMetadata }

  func setValue(_ value: Any, atIndex place: Int) { values[place] = value }

  convenience init(for modelType: Model.Type) { self.init(layout: modelType._$layout) }

  init(layout: _ModelLayout) {
    self.layout = layout
    values = Array(repeating: nil, count: layout.properties.count)
  }

  private func propertyIndex(_ keyPath: AnyKeyPath) -> Int {
    guard let property = layout.property(keyPath) ?? Model._$layout.property(keyPath) else {
      preconditionFailure("\(ReadableKeyPath.text(keyPath)) is no persisted property of \(Model._$layout.entityName)")
    }
    return property.index
  }

  private func value<Value>(_ keyPath: KeyPath<Model, Value>) -> Value {
    let property = layout.properties[propertyIndex(keyPath)]
    if let value = values[property.index] as? Value { return value }
    if let value = property.defaultValue as? Value { return value }
    // An optional property has `nil` as its value.
    if let none = Optional<Any>.none as? Value { return none }
    preconditionFailure(
      "\(Model._$layout.entityName).\(property.name) has no value in this backing data, and no default; set it first")
  }

  private func set<Value>(_ keyPath: KeyPath<Model, Value>, _ value: Value) { values[propertyIndex(keyPath)] = value }

  func getValue<Value: Decodable>(forKey: KeyPath<Model, Value>) -> Value { value(forKey) }
  func getValue<Value: PersistentModel>(forKey: KeyPath<Model, Value>) -> Value { value(forKey) }
  func getValue<Value: PersistentModel>(forKey: KeyPath<Model, Value?>) -> Value? { value(forKey) }
  func getValue<Value, OtherModel>(forKey: KeyPath<Model, Value>) -> Value
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement { value(forKey) }
  func getValue<Value, OtherModel>(forKey: KeyPath<Model, Value>) -> Value
  where Value: Decodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement { value(forKey) }
  func getTransformableValue<Value>(forKey: KeyPath<Model, Value>) -> Value { value(forKey) }

  func setValue<Value: Encodable>(forKey: KeyPath<Model, Value>, to newValue: Value) { set(forKey, newValue) }
  func setValue<Value: PersistentModel>(forKey: KeyPath<Model, Value>, to newValue: Value) {
    set(forKey, newValue)
  }
  func setValue<Value: PersistentModel>(forKey: KeyPath<Model, Value?>, to newValue: Value?) {
    set(forKey, newValue)
  }
  func setValue<Value, OtherModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement { set(forKey, newValue) }
  func setValue<Value, OtherModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where Value: Encodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement { set(forKey, newValue) }
  func setTransformableValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value) {
    set(forKey, newValue)
  }
}

/// Values by their indexes in a layout, for any class of a hierarchy.
protocol IndexedValues {
  var persistentModelID: PersistentIdentifier? { get }
  var layout: _ModelLayout { get }
  var values: [Any?] { get }
  func setValue(_ value: Any, atIndex place: Int)
}

extension PersistentModel {
  /// Returns the model's current values as backing data, including those that a subclass adds.
  public func _$backingData() -> any BackingData<Self> {
    let layout = type(of: self)._$layout
    let data = ModelBackingData<Self>(layout: layout)
    data.persistentModelID = persistentModelID
    for property in layout.properties { data.values[property.index] = property.value(of: self) }
    return data
  }

  /// Assigns the values of backing data, by the model's own setters.
  public func _$adopt(_ data: any BackingData<Self>) {
    let properties = type(of: self)._$layout.properties
    if let data = data as? any IndexedValues {
      for property in properties where property.index < data.values.count {
        if let value = data.values[property.index] ?? property.defaultValue { property.setValue(value, of: self) }
      }
    } else {
      for property in Self._$layout.properties { property.copyValue(from: data, to: self) }
    }
  }
}

extension PropertyLayout {
  private var owner: (any PersistentModel.Type)? { type(of: keyPath).rootType as? any PersistentModel.Type }

  fileprivate func value(of model: any PersistentModel) -> Any? { model[keyPath: keyPath] }

  /// Returns whether a model has a value with the same stored form, of a type whose values may hold objects. An assignment of
  /// such a value counts as a change, by which the program reports that it has changed the object.
  func containsSameReferences(_ value: Any, in model: any PersistentModel) -> Bool {
    guard codec.references != .never, let present = self.value(of: model).flatMap(codec.box), let new = codec.box(value)
    else { return false }
    return codec.isSame(boxed: present, new)
  }

  func setValue(_ value: Any, of model: any PersistentModel) {
    func open<Owner: PersistentModel>(_ type: Owner.Type) {
      guard let model = model as? Owner else { return }
      func open<Value>(_ type: Value.Type) {
        guard let keyPath = keyPath as? ReferenceWritableKeyPath<Owner, Value>, let value = value as? Value else {
          return
        }
        if !initializeValue(with: value, of: model) { model[keyPath: keyPath] = value }
      }
      _openExistential(valueType, do: open)
    }
    if let owner { open(owner) }
  }

  /// Initializes a property of a new object. A set by key path reads first, and there is no value to read yet.
  private func initializeValue<Value>(with value: Value, of model: any PersistentModel) -> Bool {
    let header = model._$header
    guard !isScalar, header.pointee.table == nil, header.pointee.registrar == nil else { return false }
    if relationship == nil {
      model._$applyChange(index, .boxed(_ValueBox(value)))
      return true
    }
    guard let object = value as? any PersistentModel else { return false }
    model._$applyChange(index, .object(object))
    return true
  }

  fileprivate func copyValue<Model: PersistentModel>(from data: any BackingData<Model>, to model: Model) {
    func open<Value>(_: Value.Type) {
      guard let keyPath = keyPath as? KeyPath<Model, Value> else { return }
      setValue(data.getTransformableValue(forKey: keyPath), of: model)
    }
    _openExistential(valueType, do: open)
  }

  func value<Model: PersistentModel>(in data: any BackingData<Model>) -> Any? {
    func open<Value>(_: Value.Type) -> Any? {
      guard let keyPath = layoutKeyPath as? KeyPath<Model, Value> else { return nil }
      return data.getTransformableValue(forKey: keyPath)
    }
    return _openExistential(valueType, do: open)
  }
}

// MARK: - Inheritance

extension BackingData {
  /// Returns the same values for the class at the top of a hierarchy, from which every class of it is created.
  ///
  /// - Parameter givenType: The class whose values these are.
  public func _superClassBackingData<SuperClass>(
    of givenType: any PersistentModel.Type
  ) -> any BackingData<SuperClass> where SuperClass: PersistentModel { converted(as: SuperClass.self) }

  /// Returns the same values for the class to which they belong.
  public func _generateCurrentClassBackingData<CurrentClass>() -> any BackingData<CurrentClass>
  where CurrentClass: PersistentModel { converted(as: CurrentClass.self) }

  private func converted<Other: PersistentModel>(as type: Other.Type) -> any BackingData<Other> {
    if let known = self as? any IndexedValues {
      let isBelow = known.layout.inherits(from: type._$layout)
      let data = ModelBackingData<Other>(layout: isBelow ? known.layout : type._$layout)
      for place in data.values.indices where place < known.values.count { data.values[place] = known.values[place] }
      data.persistentModelID = known.persistentModelID
      return data
    }
    let layout = Model._$layout
    let data = ModelBackingData<Other>(layout: layout)
    data.persistentModelID = persistentModelID
    for property in layout.properties { data.values[property.index] = property.value(in: self) }
    return data
  }
}
