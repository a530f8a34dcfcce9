import LarderSupport

/// The content of a relationship's storage, without its type.
public enum _RelationshipValue {
  /// The property is no relationship.
  case none
  /// A to-one: the row at the other end (0 for none, -1 if it is not known yet), and outside of a context the object.
  case one(row: Int64, object: (any PersistentModel)?)
  /// A to-many: its objects, `nil` if they are not loaded.
  case many([any PersistentModel]?)
  /// No relationship, but a value outside of the row: a ``_ValueBox``, `nil` if it is not loaded.
  case boxed(AnyObject?)
}

/// A change of the content of a relationship's storage. It changes nothing else: its caller handles the consequences for the
/// other end, for rollbacks and for observers.
public enum _RelationshipChange {
  /// The row at the other end of a to-one; the reference is dropped.
  case foreignKey(Int64)
  /// The object at the other end of a to-one outside a context.
  case object((any PersistentModel)?)
  /// The objects of a to-many, or `nil` to have them loaded on the next access.
  case objects([any PersistentModel]?, generation: UInt32)
  /// The loaded objects of a to-many: adjacent references to objects of the relationship's own type.
  case loaded(UnsafeRawPointer, count: Int, generation: UInt32)
  /// An optional to-many without members is nil.
  case nilIfEmpty
  /// A to-many of an object that enters a context, or was never saved, stays as it is, and is current.
  case currentIfSet(generation: UInt32)
  /// A to-many stays as it is, and is current.
  case current(generation: UInt32)
  case append(any PersistentModel)
  case remove(any PersistentModel)
  /// Some members leave a to-many.
  case removeMembers(_MemberRemoval)
  /// No change: a to-many reports whether it contains an object.
  case search(_MemberSearch)
  /// No change: a to-many reports the row IDs of its objects.
  case readRowIDs(_MemberRowIDs)
  /// No relationship: a value outside of the row, as ``_RelationshipValue/boxed(_:)``, or the first value of an attribute.
  case boxed(AnyObject?)
}

// MARK: - Access to storage

@inlinable
public func _$readRelationship<Value>(_ storage: Value?, _ key: _NoKey) -> _RelationshipValue { .none }

@inlinable
public func _$readRelationship<Value: PersistentModel>(_ storage: Value?, _ key: _ToOneKey) -> _RelationshipValue {
  .one(row: key.row, object: storage)
}

@inlinable
public func _$readRelationship<Value: PersistentModel>(_ storage: Value??, _ key: _ToOneKey) -> _RelationshipValue {
  .one(row: key.row, object: storage ?? nil)
}

@inlinable
public func _$readRelationship<Value: PersistentModel>(_ storage: [Value]?, _ key: _ToManyKey) -> _RelationshipValue {
  .many(storage.map { _$erased($0) })
}

@inlinable
public func _$readRelationship<Value: PersistentModel>(_ storage: [Value]??, _ key: _ToManyKey) -> _RelationshipValue {
  guard let storage else { return .many(nil) }
  return .many(storage.map { _$erased($0) } ?? [])
}

/// Returns objects without their type. Assigning the array would check for each object anew whether it is a model.
@inlinable
func _$erased<Value: PersistentModel>(_ objects: [Value]) -> [any PersistentModel] { objects.map { $0 } }

/// Returns the row at the other end of a to-one. For a to-many, returns 0 if its objects are not loaded, else the context's
/// count of other contexts' commits at the time of loading, or 1.
@inlinable
public func _$readForeignKey<Value>(_ storage: Value?, _ key: _NoKey) -> Int64 { 0 }
@inlinable
public func _$readForeignKey<Value>(_ storage: Value?, _ key: _ToOneKey) -> Int64 { key.row }
@inlinable
public func _$readForeignKey<Value>(_ storage: Value?, _ key: _ToManyKey) -> Int64 {
  storage == nil ? 0 : max(1, Int64(key.generation & ~_ToManyKey.unreadFlag))
}

// MARK: - Changes of storage

// The storage is not checked for exclusive access: no other code may run while it is written, and the end of an object may
// run any code. So a value that might end is returned, and ends when the access is over.

/// Replaces a value, and returns the former one.
@inlinable
@discardableResult
public func _$exchange<Value>(_ storage: inout Value, _ value: consuming Value) -> Value {
  let former = storage
  storage = value
  return former
}

// Not inlinable: it is only for objects that are created from backing data.
@discardableResult
public func _$apply<Value>(_ change: _RelationshipChange, _ storage: inout Value?, _ key: inout _NoKey) -> Value? {
  guard case .boxed(let held as _ValueBox<Value>) = change else { return nil }
  return _$exchange(&storage, held.value)
}

@inlinable
@discardableResult
public func _$apply<Value: PersistentModel>(
  _ change: _RelationshipChange, _ storage: inout Value?, _ key: inout _ToOneKey
) -> Value? {
  switch change {
  case .foreignKey(let row):
    key.row = row
    return _$exchange(&storage, nil)
  case .object(let object):
    key.row = 0
    return _$exchange(&storage, object.map { unsafeDowncast($0, to: Value.self) })
  default: return nil
  }
}

@inlinable
@discardableResult
public func _$apply<Value: PersistentModel>(
  _ change: _RelationshipChange, _ storage: inout Value??, _ key: inout _ToOneKey
) -> Value?? {
  switch change {
  case .foreignKey(let row):
    key.row = row
    return _$exchange(&storage, .some(nil))
  case .object(let object):
    key.row = 0
    return _$exchange(&storage, .some(object.map { unsafeDowncast($0, to: Value.self) }))
  default: return nil
  }
}

@inlinable
@discardableResult
public func _$apply<Value: PersistentModel>(
  _ change: _RelationshipChange, _ storage: inout [Value]?, _ key: inout _ToManyKey
) -> [Value]? {
  switch change {
  case .objects(let objects, let generation):
    key.generation = generation
    return _$exchange(&storage, objects?.map { unsafeDowncast($0, to: Value.self) })
  case .loaded(let first, let count, let generation):
    // The caller, which loaded the objects, keeps them during this call.
    key.generation = generation
    let loaded = UnsafeBufferPointer(start: first.assumingMemoryBound(to: Value.self), count: count)
    return _$exchange(&storage, Array(loaded))
  case .current(let generation), .currentIfSet(let generation):
    if storage == nil { storage = [] }
    key.generation = generation
  case .append(let object):
    if storage == nil { storage = [] }
    storage?.append(unsafeDowncast(object, to: Value.self))
  case .remove(let object):
    // The caller holds the object.
    if let place = storage.flatMap({ _$index(of: object, in: $0) }) { storage?.remove(at: place) }
  case .removeMembers(let leaving):
    guard var list = _$exchange(&storage, nil) else { return nil }
    let former = leaving._$removeMembers(from: &list)
    storage = list
    return former
  case .search(let search):
    if let storage { search._$search(in: storage) }
  case .readRowIDs(let rows):
    if let storage { rows._$record(storage) }
  default: break
  }
  return nil
}

@inlinable
@discardableResult
public func _$apply<Value: PersistentModel>(
  _ change: _RelationshipChange, _ storage: inout [Value]??, _ key: inout _ToManyKey
) -> [Value]? {
  // The inner optional is the property's own; the outer one is nil while nothing is loaded. The list is moved out
  // meanwhile: with a second reference, it would be copied for each member that is added.
  switch change {
  case .currentIfSet(let generation):
    // A list that was never set stays nil.
    guard case .some(.none) = storage else { break }
    key.generation = generation
    return nil
  case .nilIfEmpty:
    if let objects = storage, objects?.isEmpty != false { storage = .some(nil) }
    return nil
  case .remove, .removeMembers, .search:
    // A list that is nil has no members, and stays nil.
    if case .some(.none) = storage { return nil }
  case .readRowIDs(let rows):
    if let objects = storage { rows._$record(objects ?? []) }
    return nil
  default: break
  }
  var objects = _$exchange(&storage, nil) ?? nil
  let former = _$apply(change, &objects, &key)
  storage = objects.map { .some($0) }
  return former
}
