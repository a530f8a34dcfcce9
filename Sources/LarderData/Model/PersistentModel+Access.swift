public import Observation

// What the accessors that `@Model` generates call. The names begin with `_$` to keep out of the way of a model's own.

extension PersistentModel {
  /// Notes that a property is being read, if anybody is tracking.
  @inlinable
  @inline(__always)
  public func _$access<Value>(_ keyPath: @autoclosure () -> KeyPath<Self, Value>) {
    let header = _$header
    if let box = header.pointee.registrar {
      box.address.pointee.access(self, keyPath: keyPath())
      return
    }
    let probe = header.pointee.probe ?? .passUnretained(ObservationProbe.ofThisThread)
    guard _slowPath(probe._withUnsafeGuaranteedRef { $0.registrarIfTracking(adoptedBy: header) }) else { return }
    header.pointee.registrar?.address.pointee.access(self, keyPath: keyPath())
  }

  /// Carries out a change of a stored property and tells those who observe it.
  @inlinable
  public func _$mutate<Value>(_ keyPath: KeyPath<Self, Value>, _ mutation: () -> Void) {
    if let box = _$header.pointee.registrar {
      box.address.pointee.withMutation(of: self, keyPath: keyPath, mutation)
    } else {
      mutation()
    }
  }

  public func _$withMutation<Value, Result>(
    _ keyPath: KeyPath<Self, Value>, _ mutation: () throws -> Result
  ) rethrows -> Result {
    guard let box = _$header.pointee.registrar else { return try mutation() }
    return try box.address.pointee.withMutation(of: self, keyPath: keyPath, mutation)
  }

  /// The cold part of every setter: called before the first change of a property since the last save.
  @inline(never)
  public func _$willWrite(_ property: Int) {
    guard let state = _$header.pointee.state else { return }
    state.willWrite(self, property)
  }
}

/// Whether two scalars have the same stored form, so that assigning one over the other is no change.
@inlinable
@inline(__always)
public func _$same<Value: ColumnValue>(_ left: Value, _ right: Value) -> Bool { left._isSame(as: right) }

/// What a scalar's storage holds until it is read into.
@inlinable
public func _$zero<Value: ColumnValue>() -> Value { Value._zero }

// MARK: - Properties whose types the macro cannot know

extension PersistentModel {
  /// The value of a property that is stored through its type's own coding.
  @inlinable
  @_disfavoredOverload
  public func _$get<Value: Codable>(_ storage: Value?, _ key: NoKey, _ property: Int) -> Value {
    if let storage { return storage }
    return _$unset(property)
  }

  @inlinable
  @_disfavoredOverload
  public func _$isSame<Value: Codable>(_ storage: Value?, _ key: NoKey, _ value: Value, _ property: Int) -> Bool {
    guard let storage else { return false }
    return Self._$layout.isSame(property, storage, value)
  }

  /// Only an object that never was initialised gets here: one made by `init(backingData:)` from incomplete data.
  @inline(never)
  public func _$unset<Value>(_ property: Int) -> Value {
    let layout = Self._$layout
    if let value = layout.properties[property].defaultValue as? Value { return value }
    preconditionFailure(
      "\(layout.entityName).\(layout.properties[property].name) was read before it had a value: its backing data "
        + "holds none, and the property has no default")
  }
}

extension PersistentModel {
  @available(
    *, unavailable,
    message:
      "a persisted property's type must be Codable or a model; conform the type to Codable, or mark the property @Transient"
  )
  @_disfavoredOverload
  public func _$get<Value>(_ storage: Value?, _ key: NoKey, _ property: Int, _: Void = ()) -> Value { fatalError() }

  @available(
    *, unavailable,
    message:
      "a persisted property's type must be Codable or a model; conform the type to Codable, or mark the property @Transient"
  )
  @_disfavoredOverload
  public func _$isSame<Value>(
    _ storage: Value?, _ key: NoKey, _ value: Value, _ property: Int, _: Void = ()
  ) -> Bool { false }
}
