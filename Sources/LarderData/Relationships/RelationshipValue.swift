import LarderSupport

/// What the storage of a relationship holds, without its type.
public enum _RelationshipValue {
  /// The property is no relationship.
  case none
  /// A to-one: the row at the other end (0 for none, -1 where it is not known yet), and outside a context the object.
  case one(row: Int64, object: (any PersistentModel)?)
  /// A to-many: its objects, nil where they are not loaded.
  case many([any PersistentModel]?)
  /// No relationship, but a value beside the row: a ``_ValueBox``, nil where it is not loaded.
  case boxed(AnyObject?)
}

/// A change of what the storage of a relationship holds. It changes nothing else: what follows from it for the other
/// end, for rollbacks and for observers, its caller sees to.
public enum _RelationshipChange {
  /// The row at the other end of a to-one; the reference is dropped.
  case foreignKey(Int64)
  /// The object at the other end of a to-one outside a context.
  case object((any PersistentModel)?)
  /// The objects of a to-many, or nil to have them loaded when they are next asked for.
  case objects([any PersistentModel]?, generation: UInt32)
  /// The objects of a to-many as they were loaded: references side by side, to objects of the relationship's own type.
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
  /// No change: a to-many answers whether an object is in it.
  case search(_MemberSearch)
  /// No change: a to-many tells the rows of its objects.
  case readRowIDs(_MemberRowIDs)
  /// Not of a relationship: a value beside the row, as ``_RelationshipValue/held(_:)``, or the first one of an attribute.
  case boxed(AnyObject?)
}

// MARK: - Reading storage

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

/// Objects without their type. Assigning the array would ask for each object anew whether it is a model.
@inlinable
func _$erased<Value: PersistentModel>(_ objects: [Value]) -> [any PersistentModel] { objects.map { $0 } }

/// The row at the other end of a to-one; of a to-many, 0 where its objects are not loaded, else the context's count of
/// others' commits when they were, or 1.
@inlinable
public func _$readForeignKey<Value>(_ storage: Value?, _ key: _NoKey) -> Int64 { 0 }
@inlinable
public func _$readForeignKey<Value>(_ storage: Value?, _ key: _ToOneKey) -> Int64 { key.row }
@inlinable
public func _$readForeignKey<Value>(_ storage: Value?, _ key: _ToManyKey) -> Int64 {
  storage == nil ? 0 : max(1, Int64(key.generation & ~_ToManyKey.unreadFlag))
}

// MARK: - Changing storage

// The storage is not checked for exclusive access: nothing may run while it is written, and the end of an object may run
// anything. So what might end is given back, and ends when the access is over.

/// Puts a value in the place of another, which it gives back.
@inlinable
@discardableResult
public func _$exchange<Value>(_ storage: inout Value, _ value: consuming Value) -> Value {
  let former = storage
  storage = value
  return former
}

// Not inlinable: it is only for objects that are made from backing data.
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
    // Whoever loaded them keeps them for as long as this takes.
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
    // Whoever asks for it has the object.
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
  // The inner optional is what the property's type says; the outer one says whether anything is loaded. The list is
  // taken out meanwhile: held twice, it would be copied for each member that enters it.
  switch change {
  case .currentIfSet(let generation):
    // One that was never set stays nil.
    guard case .some(.none) = storage else { break }
    key.generation = generation
    return nil
  case .nilIfEmpty:
    if let objects = storage, objects?.isEmpty != false { storage = .some(nil) }
    return nil
  case .remove, .removeMembers, .search:
    // Nobody is in one that is nil, and it stays so.
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
