// Where a class's own properties begin. What `@Model` generates for a class that may have a superclass asks these.

public import LarderSupport

/// Of a model that inherits from another: after all that the superclass's layout has.
public struct _SubclassOffset: Sendable {
  /// The places that are the superclass's.
  @usableFromInline let firstProperty: Int
  /// How many classes are above.
  @usableFromInline let depth: Int
  @usableFromInline let shift: Int64

  public init<Superclass: PersistentModel>(_ superclass: Superclass.Type) {
    let layout = superclass._$layout
    firstProperty = layout.properties.count
    depth = layout.depth + 1
    shift = Int64(min(firstProperty, _ModelLayout.lastBit))
  }

  /// The place in the layout of the class's n-th own property.
  @inlinable public func index(_ own: Int) -> Int { firstProperty &+ own }
  /// The reverse: negative for what is inherited.
  @inlinable public func relative(_ place: Int) -> Int { place &- firstProperty }

  /// The part of a mask that speaks of own properties, moved to its beginning. The shift is arithmetic, so that the
  /// last bit still stands for all properties that share it.
  @inlinable public func relative(_ mask: _PropertyMask) -> _PropertyMask {
    _PropertyMask(rawValue: UInt64(bitPattern: Int64(bitPattern: mask.rawValue) &>> shift))
  }
}

/// Of a model that inherits from none, though it might by what its text says: constants.
public struct _RootOffset: Sendable {
  @inlinable @inline(__always) public init() {}
  @inlinable @inline(__always) public func index(_ own: Int) -> Int { own }
}

extension _RowReader {
  /// The place of the first column of a class's own.
  @inlinable public func firstColumn(_ base: _SubclassOffset) -> Int { layout.columnOffsets[base.depth] }
}
