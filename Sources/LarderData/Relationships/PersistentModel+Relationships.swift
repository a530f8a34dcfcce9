public import LarderSupport

// What the accessors of a relationship call. Overloads that take a key choose themselves; see `RelationKeys`.

extension PersistentModel {
  // MARK: To-one

  @inlinable
  public func _$get<Value: PersistentModel>(_ storage: Value?, _ key: _ToOneKey, _ property: Int) -> Value {
    guard let tracker = _$header.pointee.tracker else { return storage ?? _$requireDefault(property) }
    if let object = tracker.relatedObject(of: self, property, key.row) { return unsafeDowncast(object, to: Value.self) }
    return tracker.placeholder(self, property, Value.self)
  }

  @inlinable
  public func _$get<Value: PersistentModel>(_ storage: Value??, _ key: _ToOneKey, _ property: Int) -> Value? {
    guard let tracker = _$header.pointee.tracker else { return storage ?? nil }
    return tracker.relatedObject(of: self, property, key.row).map { unsafeDowncast($0, to: Value.self) }
  }

  @inlinable
  public func _$isSame<Value: PersistentModel>(
    _ storage: Value?, _ key: _ToOneKey, _ value: Value, _ property: Int
  ) -> Bool {
    guard let tracker = _$header.pointee.tracker else { return storage === value }
    return tracker.isRelated(key.row, value)
  }

  @inlinable
  public func _$isSame<Value: PersistentModel>(
    _ storage: Value??, _ key: _ToOneKey, _ value: Value?, _ property: Int
  ) -> Bool {
    guard let tracker = _$header.pointee.tracker else { return storage.map { $0 === value } ?? false }
    return tracker.isRelated(key.row, value)
  }

  /// Sets a relationship of an object in a context, with all that follows from it.
  ///
  /// - Returns: False where the storage is all that has to be set: the object is in no context, the property is no
  ///   relationship, or what follows has been seen to.
  @inlinable
  public func _$setRelationship<Value: PersistentModel>(
    _ value: Value, _ storage: Value?, _ key: _ToOneKey, _ property: Int
  ) -> Bool {
    guard let tracker = _$header.pointee.tracker ?? _$enterContext(of: value) else { return false }
    tracker.setRelationship(self, property, to: value)
    return true
  }

  @inlinable
  public func _$setRelationship<Value: PersistentModel>(
    _ value: Value?, _ storage: Value??, _ key: _ToOneKey, _ property: Int
  ) -> Bool {
    guard let tracker = _$header.pointee.tracker ?? value.flatMap({ _$enterContext(of: $0) }) else { return false }
    tracker.setRelationship(self, property, to: value)
    return true
  }

  /// What the context keeps for this new object, once it has joined that of an object which it is being related to; nil
  /// where that is in none.
  @inlinable
  public func _$enterContext<Value: PersistentModel>(of other: Value) -> _EntityTracker? {
    let there = other._$header
    guard let tracker = there.pointee.tracker, !there.pointee.status.contains(.deleted) else { return nil }
    return _$enterContext(tracker.core)
  }

  @inlinable
  public func _$enterContext<Value: PersistentModel>(of others: [Value]) -> _EntityTracker? {
    // A loop, since a closure here would be built by the runtime for each object.
    for other in others {
      let there = other._$header
      if let tracker = there.pointee.tracker, !there.pointee.status.contains(.deleted) {
        return _$enterContext(tracker.core)
      }
    }
    return nil
  }

  @usableFromInline
  @inline(never)
  func _$enterContext(_ core: _ContextCore) -> _EntityTracker? {
    // One that left its context with its row stays out.
    guard _$header.pointee.status.isEmpty, core.insertIfNeeded(self) else { return nil }
    return _$header.pointee.tracker
  }

  // MARK: To-many

  @inlinable
  public func _$get<Value: PersistentModel>(_ storage: [Value]?, _ key: _ToManyKey, _ property: Int) -> [Value] {
    guard let tracker = _$header.pointee.tracker else { return storage ?? [] }
    if let storage, _fastPath(tracker.isCurrent(key.generation)) { return storage }
    return tracker.relatedObjects(of: self, property).map { unsafeDowncast($0, to: Value.self) }
  }

  @inlinable
  public func _$get<Value: PersistentModel>(_ storage: [Value]??, _ key: _ToManyKey, _ property: Int) -> [Value]? {
    guard let tracker = _$header.pointee.tracker else { return storage ?? nil }
    if let storage, _fastPath(tracker.isCurrent(key.generation)) { return storage }
    // Nobody else can have given members to what is not saved.
    if case .some(.none) = storage, _$header.pointee.status.contains(.inserted) { return nil }
    return tracker.relatedObjects(of: self, property).map { unsafeDowncast($0, to: Value.self) }
  }

  @inlinable
  public func _$isSame<Value: PersistentModel>(
    _ storage: [Value]?, _ key: _ToManyKey, _ value: [Value], _ property: Int
  ) -> Bool {
    guard let storage, _$header.pointee.tracker?.isCurrent(key.generation) != false else { return false }
    return LarderData._$areIdentical(storage, value)
  }

  @inlinable
  public func _$isSame<Value: PersistentModel>(
    _ storage: [Value]??, _ key: _ToManyKey, _ value: [Value]?, _ property: Int
  ) -> Bool {
    guard let storage, _$header.pointee.tracker?.isCurrent(key.generation) != false else { return false }
    switch (storage, value) {
    case (nil, nil): return true
    case (let left?, let right?): return LarderData._$areIdentical(left, right)
    default: return false
    }
  }

  @inlinable
  public func _$setRelationship<Value: PersistentModel>(
    _ value: [Value], _ storage: [Value]?, _ key: _ToManyKey, _ property: Int
  ) -> Bool {
    guard let tracker = _$header.pointee.tracker ?? _$enterContext(of: value) else { return false }
    if let storage, tracker.isCurrent(key.generation), _$relateSingleMember(value, storage, property, tracker) {
      return false
    }
    tracker.setRelationship(self, property, to: LarderData._$erased(value))
    return true
  }

  @inlinable
  public func _$setRelationship<Value: PersistentModel>(
    _ value: [Value]?, _ storage: [Value]??, _ key: _ToManyKey, _ property: Int
  ) -> Bool {
    guard let tracker = _$header.pointee.tracker ?? value.flatMap({ _$enterContext(of: $0) }) else { return false }
    if let storage = storage ?? nil, let value, tracker.isCurrent(key.generation),
      _$relateSingleMember(value, storage, property, tracker)
    {
      return false
    }
    tracker.setRelationship(self, property, to: value.map { LarderData._$erased($0) } ?? [])
    // One of the store is never nil, for others and for predicates: there it is empty.
    if value == nil, !_$header.pointee.status.contains(.stored) { _$applyChange(property, .nilIfEmpty) }
    return true
  }

  /// Sees to what follows where one member enters a list, or leaves it, and nothing else changes. A list of thousands
  /// is not given away as a whole for that.
  @inlinable
  func _$relateSingleMember<Value: PersistentModel>(
    _ new: [Value], _ old: [Value], _ property: Int, _ tracker: _EntityTracker
  ) -> Bool {
    if let member = LarderData._$singleInsertion(in: new, over: old) {
      return tracker.addMember(member, to: self, property)
    }
    if let member = LarderData._$singleInsertion(in: old, over: new) {
      return tracker.removeMember(member, from: self, property)
    }
    return false
  }

  // MARK: Neither

  @inlinable
  @inline(__always)
  public func _$setRelationship<Value>(_ value: Value, _ storage: Value?, _ key: _NoKey, _ property: Int) -> Bool {
    false
  }

  /// Whether what was read of a row differs from what the object has.
  @inlinable
  public func _$differs<Value>(_ left: Value?, _ leftKey: _NoKey, _ right: Value?, _ rightKey: _NoKey, _ property: Int)
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
    _ left: Value?, _ leftKey: _ToOneKey, _ right: Value?, _ rightKey: _ToOneKey, _ property: Int
  ) -> Bool { rightKey.row != _ToOneKey.notLoaded && leftKey.row != rightKey.row }

  @inlinable
  public func _$differs<Value>(
    _ left: Value?, _ leftKey: _ToManyKey, _ right: Value?, _ rightKey: _ToManyKey, _ property: Int
  ) -> Bool { false }
}

// MARK: - Rows

extension _RowReader {
  /// Reads a property of which only the compiler and the layout know what it is.
  @inlinable
  public func restore<Value>(_ storage: inout Value?, _ key: inout _NoKey, _ property: Int) {
    storage = layout.codec(property, Value.self).read(self, layout.firstColumn(property))
  }

  @inlinable
  public func restore<Value>(_ storage: inout Value?, _ key: inout _ToOneKey, _ property: Int) {
    let column = layout.firstColumn(property)
    key.row = column < 0 ? _ToOneKey.notLoaded : readForeignKey(column)
    storage = nil
  }

  @inlinable
  public func restore<Value>(_ storage: inout Value?, _ key: inout _ToManyKey, _ property: Int) {}
}

extension _RowBinder {
  @inlinable
  public mutating func encode<Value>(_ value: borrowing Value?, _ key: _NoKey, _ property: Int) {
    layout.codec(property, Value.self).write(copy value, to: &self)
  }

  @inlinable
  public mutating func encode<Value>(_ value: borrowing Value?, _ key: _ToOneKey, _ property: Int) {
    if layout.firstColumn(property) >= 0 { bindForeignKey(key.row, property) }
  }

  @inlinable
  public mutating func encode<Value>(_ value: borrowing Value?, _ key: _ToManyKey, _ property: Int) {}
}
