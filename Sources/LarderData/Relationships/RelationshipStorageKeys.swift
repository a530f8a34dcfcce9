// What stands beside the storage of a property of which `@Model` knows no more than the name of its type. Overloads
// let the compiler choose: an attribute gets nothing, a to-one the other row's identifier, a to-many a mark.

/// Beside an attribute: nothing.
public struct _NoKey {
  @inlinable public init() {}
}

/// Beside a to-one relationship: the identifier of the row at the other end.
///
/// An object in a context keeps no reference to the object at the other end, only its row: references in both
/// directions would keep both for ever. Outside a context the storage itself has the object.
@frozen
public struct _ToOneKey {
  /// Whether the row at the other end has not been asked for yet, because it is the other table that has the key.
  @inlinable static var notLoaded: Int64 { -1 }

  /// The key of a to-one that is not optional and has lost its object: below -1, with the row that it led to, which it
  /// still reads as until it is given another. It cannot be saved.
  static func unsavable(_ row: Int64) -> Int64 { row > 0 ? -row - 1 : row }

  /// The row that a key reads as.
  static func targetRow(of key: Int64) -> Int64 { key < notLoaded ? -(key + 1) : key }

  /// 0 where there is none.
  @usableFromInline var row: Int64 = 0

  @inlinable public init() {}
}

/// Beside a to-many relationship, whose storage is nil until its objects are loaded.
@frozen
public struct _ToManyKey {
  /// Set beside the count where the list holds something that the program has not been shown: the next look at it says so to
  /// the context. See ``ToManyBaseVersions``.
  @inlinable static var unreadFlag: UInt32 { 1 << 31 }

  /// The context's count of others' commits when the objects were loaded: after another they are loaded anew.
  @usableFromInline var generation: UInt32 = 0

  @inlinable public init() {}
}

@inlinable public func _$key<Value: PersistentModel>(_ type: Value.Type) -> _ToOneKey { _ToOneKey() }
@inlinable public func _$key<Value: PersistentModel>(_ type: Value?.Type) -> _ToOneKey { _ToOneKey() }
@inlinable public func _$key<Value: PersistentModel>(_ type: [Value].Type) -> _ToManyKey { _ToManyKey() }
@inlinable public func _$key<Value: PersistentModel>(_ type: [Value]?.Type) -> _ToManyKey { _ToManyKey() }
@inlinable
@_disfavoredOverload
public func _$key<Value>(_ type: Value.Type) -> _NoKey { _NoKey() }

// The same for a property whose type only its initial value tells, which is not evaluated for that.

@inlinable public func _$key<Value: PersistentModel>(of value: @autoclosure () -> Value) -> _ToOneKey { _ToOneKey() }
@inlinable public func _$key<Value: PersistentModel>(of value: @autoclosure () -> Value?) -> _ToOneKey { _ToOneKey() }
@inlinable public func _$key<Value: PersistentModel>(of value: @autoclosure () -> [Value]) -> _ToManyKey {
  _ToManyKey()
}
@inlinable public func _$key<Value: PersistentModel>(of value: @autoclosure () -> [Value]?) -> _ToManyKey {
  _ToManyKey()
}
@inlinable
@_disfavoredOverload
public func _$key<Value>(of value: @autoclosure () -> Value) -> _NoKey { _NoKey() }
