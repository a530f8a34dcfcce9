// What `@Model` generates calls for properties that are not plainly in their row, by the keys of `BesideKeys`.

// MARK: - External storage

extension PersistentModel {
  @inlinable
  public func _$get<Value>(_ storage: Value?, _ key: ExternalKey, _ property: Int) -> Value {
    if let storage { return storage }
    return _$loadExternal(property)
  }

  /// Where nothing was loaded the values are not compared: to load the present one would cost more than to write.
  @inlinable
  public func _$isSame<Value>(_ storage: Value?, _ key: ExternalKey, _ value: Value, _ property: Int) -> Bool {
    guard let storage else { return false }
    return Self._$layout.isUnchanged(property, storage, by: value)
  }

  @inlinable
  public func _$relate<Value>(_ value: Value, _ storage: Value?, _ key: ExternalKey, _ property: Int) -> Bool {
    _$header.pointee.state?.noteHeld(self, property)
    return false
  }

  @inlinable
  public func _$differs<Value>(
    _ left: Value?, _ leftKey: ExternalKey, _ right: Value?, _ rightKey: ExternalKey, _ property: Int
  ) -> Bool { left != nil && right == nil }

  @inline(never)
  public func _$loadExternal<Value>(_ property: Int) -> Value {
    guard let state = _$header.pointee.state else {
      return Self._$layout.missingExternal(property, Value.self, "it was not loaded before the model left its context")
    }
    return state.loadExternal(of: self, property)
  }
}

extension RowReader {
  /// A row that is read anew says that the value may have changed. A rollback restores the value by itself.
  @inlinable
  public func restore<Value>(_ storage: inout Value?, _ key: inout ExternalKey, _ property: Int) {
    if statement != nil { storage = nil }
  }
}

extension RowBinder {
  @inlinable
  public mutating func encode<Value>(_ value: borrowing Value?, _ key: ExternalKey, _ property: Int) {}
}

@inlinable
public func _$related<Value>(_ storage: Value?, _ key: ExternalKey) -> RelationValue {
  .held(storage.map { HeldValue($0) })
}

@inlinable
public func _$rowKey<Value>(_ storage: Value?, _ key: ExternalKey) -> Int64 { 0 }

@inlinable
@discardableResult
public func _$apply<Value>(_ change: RelationChange, _ storage: inout Value?, _ key: inout ExternalKey) -> Value? {
  guard case .held(let held) = change else { return nil }
  return _$exchange(&storage, (held as? HeldValue<Value>)?.value)
}

// MARK: - Ephemeral

extension PersistentModel {
  @inlinable
  public func _$get<Value>(_ storage: Value?, _ key: EphemeralKey, _ property: Int) -> Value {
    if let storage { return storage }
    return _$unset(property)
  }

  /// Never: values that are equal may yet differ in what their type does not compare, and nobody but the object has them.
  @inlinable
  public func _$isSame<Value>(_ storage: Value?, _ key: EphemeralKey, _ value: Value, _ property: Int) -> Bool {
    false
  }

  /// An equal value takes the former one's place without being a change.
  @inlinable
  public func _$relate<Value>(_ value: Value, _ storage: Value?, _ key: EphemeralKey, _ property: Int) -> Bool {
    if let storage, _$areEqual(storage, value) {
      _$change(property, .held(HeldValue(value)))
      return true
    }
    _$header.pointee.state?.noteHeld(self, property)
    return false
  }

  @inlinable
  public func _$differs<Value>(
    _ left: Value?, _ leftKey: EphemeralKey, _ right: Value?, _ rightKey: EphemeralKey, _ property: Int
  ) -> Bool { false }
}

extension RowReader {
  @inlinable
  public func restore<Value>(_ storage: inout Value?, _ key: inout EphemeralKey, _ property: Int) {}
}

extension RowBinder {
  @inlinable
  public mutating func encode<Value>(_ value: borrowing Value?, _ key: EphemeralKey, _ property: Int) {}
}

@inlinable
public func _$related<Value>(_ storage: Value?, _ key: EphemeralKey) -> RelationValue {
  .held(storage.map { HeldValue($0) })
}

@inlinable
public func _$rowKey<Value>(_ storage: Value?, _ key: EphemeralKey) -> Int64 { 0 }

@inlinable
@discardableResult
public func _$apply<Value>(_ change: RelationChange, _ storage: inout Value?, _ key: inout EphemeralKey) -> Value? {
  guard case .held(let held as HeldValue<Value>) = change else { return nil }
  return _$exchange(&storage, held.value)
}

/// Whether two values that need not have a stored form are equal; false where their type cannot say it.
public func _$areEqual<Value>(_ left: Value, _ right: Value) -> Bool {
  if let left = left as? any ColumnValue { return left.isSame(as: right) }
  return (left as? any Equatable)?.isEqual(to: right) ?? false
}

extension ColumnValue {
  fileprivate func isSame(as other: Any) -> Bool { (other as? Self).map { _isSame(as: $0) } ?? false }
}

extension Equatable {
  fileprivate func isEqual(to other: Any) -> Bool { other as? Self == self }
}

// MARK: - Transformable

extension PersistentModel {
  @inlinable
  public func _$get<Value>(_ storage: Value?, _ key: TransformedKey, _ property: Int) -> Value {
    if let storage { return storage }
    return _$unset(property)
  }

  @inlinable
  public func _$isSame<Value>(_ storage: Value?, _ key: TransformedKey, _ value: Value, _ property: Int) -> Bool {
    guard let storage else { return false }
    return Self._$layout.isUnchanged(property, storage, by: value)
  }

  @inlinable
  public func _$relate<Value>(_ value: Value, _ storage: Value?, _ key: TransformedKey, _ property: Int) -> Bool {
    false
  }

  @inlinable
  public func _$differs<Value>(
    _ left: Value?, _ leftKey: TransformedKey, _ right: Value?, _ rightKey: TransformedKey, _ property: Int
  ) -> Bool { _$differs(left, NoKey(), right, NoKey(), property) }
}

extension RowReader {
  @inlinable
  public func restore<Value>(_ storage: inout Value?, _ key: inout TransformedKey, _ property: Int) {
    storage = layout.codec(property, Value.self).read(self, layout.firstColumn(property))
  }
}

extension RowBinder {
  @inlinable
  public mutating func encode<Value>(_ value: borrowing Value?, _ key: TransformedKey, _ property: Int) {
    layout.codec(property, Value.self).write(copy value, to: &self)
  }
}

@inlinable
public func _$related<Value>(_ storage: Value?, _ key: TransformedKey) -> RelationValue { .none }
@inlinable
public func _$rowKey<Value>(_ storage: Value?, _ key: TransformedKey) -> Int64 { 0 }
@discardableResult
public func _$apply<Value>(_ change: RelationChange, _ storage: inout Value?, _ key: inout TransformedKey) -> Value? {
  guard case .held(let held as HeldValue<Value>) = change else { return nil }
  return _$exchange(&storage, held.value)
}
