public import LarderSupport

// What the accessors of a relationship call. Overloads that take a key choose themselves; see `RelationKeys`.

extension PersistentModel {
  // MARK: To-one

  @inlinable
  public func _$get<Value: PersistentModel>(_ storage: Value?, _ key: ToOneKey, _ property: Int) -> Value {
    guard let state = _$header.pointee.state else { return storage ?? _$unset(property) }
    if let object = state.relatedObject(of: self, property, key.row) { return unsafeDowncast(object, to: Value.self) }
    return state.unloadable(self, property, Value.self)
  }

  @inlinable
  public func _$get<Value: PersistentModel>(_ storage: Value??, _ key: ToOneKey, _ property: Int) -> Value? {
    guard let state = _$header.pointee.state else { return storage ?? nil }
    return state.relatedObject(of: self, property, key.row).map { unsafeDowncast($0, to: Value.self) }
  }

  @inlinable
  public func _$isSame<Value: PersistentModel>(
    _ storage: Value?, _ key: ToOneKey, _ value: Value, _ property: Int
  ) -> Bool {
    guard let state = _$header.pointee.state else { return storage === value }
    return state.isRelated(key.row, value)
  }

  @inlinable
  public func _$isSame<Value: PersistentModel>(
    _ storage: Value??, _ key: ToOneKey, _ value: Value?, _ property: Int
  ) -> Bool {
    guard let state = _$header.pointee.state else { return storage.map { $0 === value } ?? false }
    return state.isRelated(key.row, value)
  }

  /// Sets a relationship of an object in a context, with all that follows from it.
  ///
  /// - Returns: False where the storage is all that has to be set: the object is in no context, the property is no
  ///   relationship, or what follows has been seen to.
  @inlinable
  public func _$relate<Value: PersistentModel>(
    _ value: Value, _ storage: Value?, _ key: ToOneKey, _ property: Int
  ) -> Bool {
    guard let state = _$header.pointee.state ?? _$joining(value) else { return false }
    state.relate(self, property, to: value)
    return true
  }

  @inlinable
  public func _$relate<Value: PersistentModel>(
    _ value: Value?, _ storage: Value??, _ key: ToOneKey, _ property: Int
  ) -> Bool {
    guard let state = _$header.pointee.state ?? value.flatMap({ _$joining($0) }) else { return false }
    state.relate(self, property, to: value)
    return true
  }

  /// What the context keeps for this new object, once it has joined that of an object which it is being related to; nil
  /// where that is in none.
  @inlinable
  public func _$joining<Value: PersistentModel>(_ other: Value) -> EntityState? {
    let there = other._$header
    guard let state = there.pointee.state, !there.pointee.status.contains(.deleted) else { return nil }
    return _$join(state.core)
  }

  @inlinable
  public func _$joining<Value: PersistentModel>(_ others: [Value]) -> EntityState? {
    // A loop, since a closure here would be built by the runtime for each object.
    for other in others {
      let there = other._$header
      if let state = there.pointee.state, !there.pointee.status.contains(.deleted) { return _$join(state.core) }
    }
    return nil
  }

  @usableFromInline
  @inline(never)
  func _$join(_ core: ContextCore) -> EntityState? {
    // One that left its context with its row stays out.
    guard _$header.pointee.status.isEmpty, core.adopt(self) else { return nil }
    return _$header.pointee.state
  }

  // MARK: To-many

  @inlinable
  public func _$get<Value: PersistentModel>(_ storage: [Value]?, _ key: ToManyKey, _ property: Int) -> [Value] {
    guard let state = _$header.pointee.state else { return storage ?? [] }
    if let storage, _fastPath(state.isCurrent(key.generation)) { return storage }
    return state.relatedObjects(of: self, property).map { unsafeDowncast($0, to: Value.self) }
  }

  @inlinable
  public func _$get<Value: PersistentModel>(_ storage: [Value]??, _ key: ToManyKey, _ property: Int) -> [Value]? {
    guard let state = _$header.pointee.state else { return storage ?? nil }
    if let storage, _fastPath(state.isCurrent(key.generation)) { return storage }
    // Nobody else can have given members to what is not saved.
    if case .some(.none) = storage, _$header.pointee.status.contains(.inserted) { return nil }
    return state.relatedObjects(of: self, property).map { unsafeDowncast($0, to: Value.self) }
  }

  @inlinable
  public func _$isSame<Value: PersistentModel>(
    _ storage: [Value]?, _ key: ToManyKey, _ value: [Value], _ property: Int
  ) -> Bool {
    guard let storage, _$header.pointee.state?.isCurrent(key.generation) != false else { return false }
    return LarderData._$areSame(storage, value)
  }

  @inlinable
  public func _$isSame<Value: PersistentModel>(
    _ storage: [Value]??, _ key: ToManyKey, _ value: [Value]?, _ property: Int
  ) -> Bool {
    guard let storage, _$header.pointee.state?.isCurrent(key.generation) != false else { return false }
    switch (storage, value) {
    case (nil, nil): return true
    case (let left?, let right?): return LarderData._$areSame(left, right)
    default: return false
    }
  }

  @inlinable
  public func _$relate<Value: PersistentModel>(
    _ value: [Value], _ storage: [Value]?, _ key: ToManyKey, _ property: Int
  ) -> Bool {
    guard let state = _$header.pointee.state ?? _$joining(value) else { return false }
    if let storage, state.isCurrent(key.generation), _$relateOne(value, storage, property, state) { return false }
    state.relate(self, property, to: LarderData._$erased(value))
    return true
  }

  @inlinable
  public func _$relate<Value: PersistentModel>(
    _ value: [Value]?, _ storage: [Value]??, _ key: ToManyKey, _ property: Int
  ) -> Bool {
    guard let state = _$header.pointee.state ?? value.flatMap({ _$joining($0) }) else { return false }
    if let storage = storage ?? nil, let value, state.isCurrent(key.generation),
      _$relateOne(value, storage, property, state)
    {
      return false
    }
    state.relate(self, property, to: value.map { LarderData._$erased($0) } ?? [])
    // One of the store is never nil, for others and for predicates: there it is empty.
    if value == nil, !_$header.pointee.status.contains(.stored) { _$change(property, .absent) }
    return true
  }

  /// Sees to what follows where one member enters a list, or leaves it, and nothing else changes. A list of thousands
  /// is not given away as a whole for that.
  @inlinable
  func _$relateOne<Value: PersistentModel>(
    _ new: [Value], _ old: [Value], _ property: Int, _ state: EntityState
  ) -> Bool {
    if let member = LarderData._$surplus(of: new, over: old) { return state.add(member, to: self, property) }
    if let member = LarderData._$surplus(of: old, over: new) { return state.take(member, from: self, property) }
    return false
  }

  // MARK: Neither

  @inlinable
  @inline(__always)
  public func _$relate<Value>(_ value: Value, _ storage: Value?, _ key: NoKey, _ property: Int) -> Bool { false }

  /// Whether what was read of a row differs from what the object has.
  @inlinable
  public func _$differs<Value>(_ left: Value?, _ leftKey: NoKey, _ right: Value?, _ rightKey: NoKey, _ property: Int)
    -> Bool
  {
    switch (left, right) {
    case (nil, nil): false
    case (let left?, let right?): !Self._$layout.isSame(property, left, right)
    default: true
    }
  }

  /// A row says nothing of a to-one whose key the other end has, so what is known of it stays: that others may have changed
  /// it follows from their commits, whichever rows these were of.
  @inlinable
  public func _$differs<Value>(
    _ left: Value?, _ leftKey: ToOneKey, _ right: Value?, _ rightKey: ToOneKey, _ property: Int
  ) -> Bool { rightKey.row != ToOneKey.unknown && leftKey.row != rightKey.row }

  @inlinable
  public func _$differs<Value>(
    _ left: Value?, _ leftKey: ToManyKey, _ right: Value?, _ rightKey: ToManyKey, _ property: Int
  ) -> Bool { false }
}

// MARK: - Rows

extension RowReader {
  /// Reads a property of which only the compiler and the layout know what it is.
  @inlinable
  public func restore<Value>(_ storage: inout Value?, _ key: inout NoKey, _ property: Int) {
    storage = layout.codec(property, Value.self).read(self, layout.firstColumn(property))
  }

  @inlinable
  public func restore<Value>(_ storage: inout Value?, _ key: inout ToOneKey, _ property: Int) {
    let column = layout.firstColumn(property)
    key.row = column < 0 ? ToOneKey.unknown : readKey(column)
    storage = nil
  }

  @inlinable
  public func restore<Value>(_ storage: inout Value?, _ key: inout ToManyKey, _ property: Int) {}
}

extension RowBinder {
  @inlinable
  public mutating func encode<Value>(_ value: borrowing Value?, _ key: NoKey, _ property: Int) {
    layout.codec(property, Value.self).write(copy value, to: &self)
  }

  @inlinable
  public mutating func encode<Value>(_ value: borrowing Value?, _ key: ToOneKey, _ property: Int) {
    if layout.firstColumn(property) >= 0 { bindKey(key.row, property) }
  }

  @inlinable
  public mutating func encode<Value>(_ value: borrowing Value?, _ key: ToManyKey, _ property: Int) {}
}
