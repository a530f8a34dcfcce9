public import LarderSupport

// Entry points of the accessors of relationships. The key's type selects the overload: `_NoKey`, `_ToOneKey` or `_ToManyKey`.

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

  /// Sets a relationship of an object in a context, and updates the other end.
  ///
  /// - Returns: `false` if the caller only has to set the storage: the object is in no context, the property is no
  ///   relationship, or the other end is updated already.
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

  /// Inserts this new object into the context of an object to which it is being related.
  ///
  /// - Returns: The context's tracker for this object, or `nil` if the other object is in no context or is deleted.
  @inlinable
  public func _$enterContext<Value: PersistentModel>(of other: Value) -> _EntityTracker? {
    let there = other._$header
    guard let tracker = there.pointee.tracker, !there.pointee.status.contains(.deleted) else { return nil }
    return _$enterContext(tracker.core)
  }

  @inlinable
  public func _$enterContext<Value: PersistentModel>(of others: [Value]) -> _EntityTracker? {
    // A loop, since the runtime would build a closure for each object.
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
    // An object that left its context together with its row stays out.
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
    // Another context cannot have added members to an object that is not saved.
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
    // A to-many of a stored object is never nil: other contexts and predicates see an empty list.
    if value == nil, !_$header.pointee.status.contains(.stored) { _$applyChange(property, .nilIfEmpty) }
    return true
  }

  /// Updates the other end where one member is added to a list or removed from it, and nothing else changes. A list of
  /// thousands is not passed on as a whole for that.
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

  // MARK: Attributes and comparison

  @inlinable
  @inline(__always)
  public func _$setRelationship<Value>(_ value: Value, _ storage: Value?, _ key: _NoKey, _ property: Int) -> Bool {
    false
  }

  /// Returns whether a value that was read from a row differs from the object's value.
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

  /// Returns whether the foreign key of a row differs from the object's. A row does not contain the key of a to-one whose
  /// column is in the other table, so the known key stays: other contexts' changes of it are found from their commits,
  /// whichever rows these touched.
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
  /// Reads a property whose type only the compiler and the layout know.
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
