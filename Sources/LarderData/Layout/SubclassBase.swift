// Where a class's own properties begin. What `@Model` generates for a class that may have a superclass asks these.

public import LarderSupport

/// Of a model that inherits from another: after all that the superclass's layout has.
public struct SubclassBase: Sendable {
  /// The places that are the superclass's.
  @usableFromInline let property: Int
  /// How many classes are above.
  @usableFromInline let depth: Int
  @usableFromInline let shift: Int64

  public init<Superclass: PersistentModel>(_ superclass: Superclass.Type) {
    let layout = superclass._$layout
    property = layout.properties.count
    depth = layout.depth + 1
    shift = Int64(min(property, ModelLayout.lastBit))
  }

  /// The place in the layout of the class's n-th own property.
  @inlinable public func place(_ own: Int) -> Int { property &+ own }
  /// The reverse: negative for what is inherited.
  @inlinable public func own(_ place: Int) -> Int { place &- property }

  /// The part of a mask that speaks of own properties, moved to its beginning. The shift is arithmetic, so that the
  /// last bit still stands for all properties that share it.
  @inlinable public func own(_ mask: PropertyMask) -> PropertyMask {
    PropertyMask(rawValue: UInt64(bitPattern: Int64(bitPattern: mask.rawValue) &>> shift))
  }
}

/// Of a model that inherits from none, though it might by what its text says: constants.
public struct RootBase: Sendable {
  @inlinable @inline(__always) public init() {}
  @inlinable @inline(__always) public func place(_ own: Int) -> Int { own }
}

extension RowReader {
  /// The place of the first column of a class's own.
  @inlinable public func first(_ base: SubclassBase) -> Int { layout.starts[base.depth] }
}
