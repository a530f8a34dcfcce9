// What `@Model` generates calls for properties that are not plainly in their row, by the keys of `BesideKeys`.

// MARK: - External storage

extension PersistentModel {
  @inlinable
  public func _$get<Value>(_ storage: Value?, _ key: _ExternalKey, _ property: Int) -> Value {
    if let storage { return storage }
    return _$loadExternalValue(property)
  }

  /// Where nothing was loaded the values are not compared: to load the present one would cost more than to write.
  @inlinable
  public func _$isSame<Value>(_ storage: Value?, _ key: _ExternalKey, _ value: Value, _ property: Int) -> Bool {
    guard let storage else { return false }
    return Self._$layout.isUnchanged(property, storage, by: value)
  }

  @inlinable
  public func _$setRelationship<Value>(_ value: Value, _ storage: Value?, _ key: _ExternalKey, _ property: Int) -> Bool
  {
    _$header.pointee.tracker?.recordOriginalBoxedValue(self, property)
    return false
  }

  @inlinable
  public func _$differs<Value>(
    _ left: Value?, _ leftKey: _ExternalKey, _ right: Value?, _ rightKey: _ExternalKey, _ property: Int
  ) -> Bool { left != nil && right == nil }

  @inline(never)
  public func _$loadExternalValue<Value>(_ property: Int) -> Value {
    guard let tracker = _$header.pointee.tracker else {
      return Self._$layout.fallbackValue(property, Value.self, "it was not loaded before the model left its context")
    }
    return tracker.loadExternalValue(of: self, property)
  }
}

extension _RowReader {
  /// A row that is read anew says that the value may have changed. A rollback restores the value by itself.
  @inlinable
  public func restore<Value>(_ storage: inout Value?, _ key: inout _ExternalKey, _ property: Int) {
    if statement != nil { storage = nil }
  }
}

extension _RowBinder {
  @inlinable
  public mutating func encode<Value>(_ value: borrowing Value?, _ key: _ExternalKey, _ property: Int) {}
}

@inlinable
public func _$readRelationship<Value>(_ storage: Value?, _ key: _ExternalKey) -> _RelationshipValue {
  .boxed(storage.map { _ValueBox($0) })
}

@inlinable
public func _$readForeignKey<Value>(_ storage: Value?, _ key: _ExternalKey) -> Int64 { 0 }

@inlinable
@discardableResult
public func _$apply<Value>(_ change: _RelationshipChange, _ storage: inout Value?, _ key: inout _ExternalKey) -> Value?
{
  guard case .boxed(let held) = change else { return nil }
  return _$exchange(&storage, (held as? _ValueBox<Value>)?.value)
}

// MARK: - Ephemeral

extension PersistentModel {
  @inlinable
  public func _$get<Value>(_ storage: Value?, _ key: _EphemeralKey, _ property: Int) -> Value {
    if let storage { return storage }
    return _$requireDefault(property)
  }

  /// Never: values that are equal may yet differ in what their type does not compare, and nobody but the object has them.
  @inlinable
  public func _$isSame<Value>(_ storage: Value?, _ key: _EphemeralKey, _ value: Value, _ property: Int) -> Bool {
    false
  }

  /// An equal value takes the former one's place without being a change.
  @inlinable
  public func _$setRelationship<Value>(_ value: Value, _ storage: Value?, _ key: _EphemeralKey, _ property: Int) -> Bool
  {
    if let storage, _$areEqual(storage, value) {
      _$applyChange(property, .boxed(_ValueBox(value)))
      return true
    }
    _$header.pointee.tracker?.recordOriginalBoxedValue(self, property)
    return false
  }

  @inlinable
  public func _$differs<Value>(
    _ left: Value?, _ leftKey: _EphemeralKey, _ right: Value?, _ rightKey: _EphemeralKey, _ property: Int
  ) -> Bool { false }
}

extension _RowReader {
  @inlinable
  public func restore<Value>(_ storage: inout Value?, _ key: inout _EphemeralKey, _ property: Int) {}
}

extension _RowBinder {
  @inlinable
  public mutating func encode<Value>(_ value: borrowing Value?, _ key: _EphemeralKey, _ property: Int) {}
}

@inlinable
public func _$readRelationship<Value>(_ storage: Value?, _ key: _EphemeralKey) -> _RelationshipValue {
  .boxed(storage.map { _ValueBox($0) })
}

@inlinable
public func _$readForeignKey<Value>(_ storage: Value?, _ key: _EphemeralKey) -> Int64 { 0 }

@inlinable
@discardableResult
public func _$apply<Value>(_ change: _RelationshipChange, _ storage: inout Value?, _ key: inout _EphemeralKey) -> Value?
{
  guard case .boxed(let held as _ValueBox<Value>) = change else { return nil }
  return _$exchange(&storage, held.value)
}

/// Whether two values that need not have a stored form are equal; false where their type cannot say it.
public func _$areEqual<Value>(_ left: Value, _ right: Value) -> Bool {
  if let left = left as? any _ColumnValue { return left.isSame(as: right) }
  return (left as? any Equatable)?.isEqual(to: right) ?? false
}

extension _ColumnValue {
  fileprivate func isSame(as other: Any) -> Bool { (other as? Self).map { _isSame(as: $0) } ?? false }
}

extension Equatable {
  fileprivate func isEqual(to other: Any) -> Bool { other as? Self == self }
}

// MARK: - Transformable

extension PersistentModel {
  @inlinable
  public func _$get<Value>(_ storage: Value?, _ key: _TransformedKey, _ property: Int) -> Value {
    if let storage { return storage }
    return _$requireDefault(property)
  }

  @inlinable
  public func _$isSame<Value>(_ storage: Value?, _ key: _TransformedKey, _ value: Value, _ property: Int) -> Bool {
    guard let storage else { return false }
    return Self._$layout.isUnchanged(property, storage, by: value)
  }

  @inlinable
  public func _$setRelationship<Value>(_ value: Value, _ storage: Value?, _ key: _TransformedKey, _ property: Int)
    -> Bool
  {
    false
  }

  @inlinable
  public func _$differs<Value>(
    _ left: Value?, _ leftKey: _TransformedKey, _ right: Value?, _ rightKey: _TransformedKey, _ property: Int
  ) -> Bool { _$differs(left, _NoKey(), right, _NoKey(), property) }
}

extension _RowReader {
  @inlinable
  public func restore<Value>(_ storage: inout Value?, _ key: inout _TransformedKey, _ property: Int) {
    storage = layout.codec(property, Value.self).read(self, layout.firstColumn(property))
  }
}

extension _RowBinder {
  @inlinable
  public mutating func encode<Value>(_ value: borrowing Value?, _ key: _TransformedKey, _ property: Int) {
    layout.codec(property, Value.self).write(copy value, to: &self)
  }
}

@inlinable
public func _$readRelationship<Value>(_ storage: Value?, _ key: _TransformedKey) -> _RelationshipValue { .none }
@inlinable
public func _$readForeignKey<Value>(_ storage: Value?, _ key: _TransformedKey) -> Int64 { 0 }
@discardableResult
public func _$apply<Value>(_ change: _RelationshipChange, _ storage: inout Value?, _ key: inout _TransformedKey)
  -> Value?
{
  guard case .boxed(let held as _ValueBox<Value>) = change else { return nil }
  return _$exchange(&storage, held.value)
}
