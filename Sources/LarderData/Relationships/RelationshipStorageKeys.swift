// The companions of stored properties, of which `@Model` knows only the name of the type. The compiler selects one by
// overloads: an attribute gets nothing, a to-one the other row's ID, a to-many a mark.

/// The companion of an attribute: nothing.
public struct _NoKey {
  @inlinable public init() {}
}

/// The companion of a to-one relationship: the ID of the row at the other end.
///
/// An object in a context keeps no reference to the object at the other end, only its row: references in both
/// directions would form a retain cycle. Outside of a context the storage itself has the object.
@frozen
public struct _ToOneKey {
  /// The key of a to-one whose target is not known yet, because the other table has the foreign key.
  @inlinable static var notLoaded: Int64 { -1 }

  /// Returns the key of a required to-one that has lost its target: below -1, with the row that it referenced. It reads as
  /// that row until it is set again, and cannot be saved.
  static func unsavable(_ row: Int64) -> Int64 { row > 0 ? -row - 1 : row }

  /// Returns the row that a key reads as.
  static func targetRow(of key: Int64) -> Int64 { key < notLoaded ? -(key + 1) : key }

  /// The row at the other end; 0 for none.
  @usableFromInline var row: Int64 = 0

  @inlinable public init() {}
}

/// The companion of a to-many relationship, whose storage is nil until its objects are loaded.
@frozen
public struct _ToManyKey {
  /// A flag next to the generation, set while the list holds members that the program was not shown: the next access to the
  /// list reports itself to the context. See ``ToManyBaseVersions``.
  @inlinable static var unreadFlag: UInt32 { 1 << 31 }

  /// The context's count of other contexts' commits when the objects were loaded: after another commit they are loaded anew.
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

// Overloads for a property whose type only its initial value determines. The value is not evaluated.

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
