public import LarderSupport
import Observation

// The functions called by the accessors that `@Model` generates. The prefix `_$` avoids collisions with a model's own names.

extension PersistentModel {
  /// Records a read of a property, if an observer is tracking.
  @inlinable
  @inline(__always)
  public func _$access(_ property: Int) {
    let header = _$header
    if header.pointee.registrar == nil {
      let probe = header.pointee.probe ?? .passUnretained(_ObservationProbe.forCurrentThread)
      guard _slowPath(probe._withUnsafeGuaranteedRef { $0.installRegistrarIfTracking(in: header) }) else { return }
    }
    _$recordAccess(property)
  }

  @inline(never)
  public func _$recordAccess(_ property: Int) {
    let header = _$header
    guard let box = header.pointee.registrar, header.pointee.tracker?.core.isReadingWithoutTracking != true else {
      return
    }
    if box.isForChangeTrackingOnly {
      guard let tracker = header.pointee.tracker, tracker.probe.isTracking() else { return }
      box.isForChangeTrackingOnly = false
    }
    header.pointee.tracker?.willObserve(header.pointee.rowID, property)
    Self._$layout.observedProperties[property].access(self, box)
  }

  /// Returns whether a scalar's new value differs from its current one; if so, first notifies observers and records the change.
  @inlinable
  @inline(__always)
  public func _$beginChange<Value: _ColumnValue>(_ old: Value, _ new: Value, _ property: Int) -> Bool {
    if old._isSame(as: new) { return false }
    let header = _$header
    if _fastPath(header.pointee.registrar == nil) {
      if header.pointee.changedMask & _ModelLayout.bit(property) == 0 { _$recordOriginalValue(property, holding: old) }
    } else {
      // An observer may change the value meanwhile, so it is read once more.
      _$willChange(property)
    }
    return true
  }

  /// Records a scalar's first change since the last save, with the value that the caller passes. Inlinable, so that it is
  /// compiled in the caller's module, which knows the value's type.
  @inlinable
  @inline(never)
  public func _$recordOriginalValue<Value: _ColumnValue>(_ property: Int, holding value: Value) {
    let header = _$header
    guard let tracker = header.pointee.unretainedTracker else { return }
    let isNoted = tracker._withUnsafeGuaranteedRef { $0.recordOriginalValue(value, of: self, header, property) }
    if !isNoted { _$recordOriginalValue(property) }
  }

  /// Called before the program changes a property.
  @inlinable
  @inline(__always)
  public func _$willChange(_ property: Int) {
    // An observer may save, or roll back: a write after that is a change of its own.
    _$willSet(property)
    if _$header.pointee.changedMask & _ModelLayout.bit(property) == 0 { _$recordOriginalValue(property) }
  }

  /// Returns whether a scalar's stored value differs from its current one; if so, first notifies observers.
  @inlinable
  @inline(__always)
  public func _$beginAssignment<Value: _ColumnValue>(_ old: Value, _ new: Value, _ property: Int) -> Bool {
    if old._isSame(as: new) { return false }
    _$willSet(property)
    return true
  }

  /// Notifies observers that a property's storage is about to change.
  @inlinable
  @inline(__always)
  public func _$willSet(_ property: Int) {
    if _slowPath(_$header.pointee.registrar != nil) { _$notifyWillSet(property) }
  }

  /// Notifies observers that a property's storage has changed.
  @inlinable
  @inline(__always)
  public func _$didSet(_ property: Int) {
    if _slowPath(_$header.pointee.registrar != nil) { _$notifyDidSet(property) }
  }

  @inline(never)
  public func _$notifyWillSet(_ property: Int) {
    if _$header.pointee.status.contains(.changeTracked), let tracker = _$header.pointee.tracker {
      tracker.core.trackedObjectWillChange(_$header.pointee.rowID, tracker)
    }
    guard let box = _$header.pointee.registrar, _$notifiesNow(property) else { return }
    Self._$layout.observedProperties[property].willSet(self, box)
  }

  @inline(never)
  public func _$notifyDidSet(_ property: Int) {
    // Again: an observer of the first notification may have read the former value.
    if _$header.pointee.status.contains(.changeTracked), let tracker = _$header.pointee.tracker {
      tracker.editedIndexes.markDirty(_$header.pointee.changedIndex)
      // An undo step may have ended meanwhile.
      tracker.core.markRowChanged(_$header.pointee.rowID, tracker)
      tracker.core.pendingObjectsDidChange()
    }
    guard let box = _$header.pointee.registrar, _$header.pointee.tracker?.core.isDeferringNotifications != true else {
      return
    }
    Self._$layout.observedProperties[property].didSet(self, box)
  }

  /// Implements the model's own `access(keyPath:)`.
  public func _$access<Value>(_ keyPath: KeyPath<Self, Value>) {
    let header = _$header
    if header.pointee.registrar == nil {
      let probe = header.pointee.probe ?? .passUnretained(_ObservationProbe.forCurrentThread)
      guard probe._withUnsafeGuaranteedRef({ $0.installRegistrarIfTracking(in: header) }) else { return }
    }
    header.pointee.registrar?.address.pointee.access(self, keyPath: keyPath)
  }

  /// Implements the model's own `withMutation(keyPath:_:)`.
  public func _$withMutation<Value, Result>(
    _ keyPath: KeyPath<Self, Value>, _ mutation: () throws -> Result
  ) rethrows -> Result {
    guard let box = _$header.pointee.registrar else { return try mutation() }
    return try box.address.pointee.withMutation(of: self, keyPath: keyPath, mutation)
  }

  /// The cold part of every setter: called before the first change of a property since the last save.
  @inline(never)
  public func _$recordOriginalValue(_ property: Int) {
    guard let tracker = _$header.pointee.tracker else { return }
    tracker.willChangeProperty(self, property)
  }
}

/// Returns whether a mask of properties has a bit. (The compiler takes long to choose among all overloaded operators.)
@inlinable
@inline(__always)
public func _$contains(_ mask: _PropertyMask, _ bit: _PropertyMask) -> Bool { mask & bit != 0 }

/// Returns the initial value of a scalar's storage, before a row is read into it.
@inlinable
public func _$zero<Value: _ColumnValue>() -> Value { Value._zero }

// MARK: - Properties whose types the macro cannot know

extension PersistentModel {
  /// Returns the value of a property that is stored through its type's own coding.
  @inlinable
  @_disfavoredOverload
  public func _$get<Value: Codable>(_ storage: Value?, _ key: _NoKey, _ property: Int) -> Value {
    if let storage { return storage }
    return _$requireDefault(property)
  }

  @inlinable
  @_disfavoredOverload
  public func _$isSame<Value: Codable>(_ storage: Value?, _ key: _NoKey, _ value: Value, _ property: Int) -> Bool {
    guard let storage else { return false }
    return Self._$layout.isUnchanged(property, storage, by: value)
  }

  /// Returns the default value of an uninitialized property. Only `init(backingData:)` with incomplete data leaves one.
  @inline(never)
  public func _$requireDefault<Value>(_ property: Int) -> Value {
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
      "a persisted property's type must be Codable or a model; conform the type to Codable, use an array for several models, or mark the property @Transient"
  )
  @_disfavoredOverload
  public func _$get<Value>(_ storage: Value?, _ key: _NoKey, _ property: Int, _: Void = ()) -> Value { fatalError() }

  @available(
    *, unavailable,
    message:
      "a persisted property's type must be Codable or a model; conform the type to Codable, use an array for several models, or mark the property @Transient"
  )
  @_disfavoredOverload
  public func _$isSame<Value>(
    _ storage: Value?, _ key: _NoKey, _ value: Value, _ property: Int, _: Void = ()
  ) -> Bool { false }
}
