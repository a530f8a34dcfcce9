// The start of a class's own properties. Code that `@Model` generates for a class that may have a superclass uses these.

public import LarderSupport

/// The offset in a model with a superclass: its own properties follow everything of the superclass's layout.
public struct _SubclassOffset: Sendable {
  /// The number of the superclass's properties.
  @usableFromInline let firstProperty: Int
  /// The number of superclasses.
  @usableFromInline let depth: Int
  @usableFromInline let shift: Int64

  public init<Superclass: PersistentModel>(_ superclass: Superclass.Type) {
    let layout = superclass._$layout
    firstProperty = layout.properties.count
    depth = layout.depth + 1
    shift = Int64(min(firstProperty, _ModelLayout.lastBit))
  }

  /// Returns the index in the layout of the class's n-th own property.
  @inlinable public func index(_ own: Int) -> Int { firstProperty &+ own }
  /// Returns the reverse: negative for an inherited property.
  @inlinable public func relative(_ place: Int) -> Int { place &- firstProperty }

  /// Returns the part of a mask for own properties, shifted to the beginning. The shift is arithmetic, so that the last bit
  /// still represents all properties that share it.
  @inlinable public func relative(_ mask: _PropertyMask) -> _PropertyMask {
    _PropertyMask(rawValue: UInt64(bitPattern: Int64(bitPattern: mask.rawValue) &>> shift))
  }
}

/// The offset in a model without a superclass, although its source might declare one: constants.
public struct _RootOffset: Sendable {
  @inlinable @inline(__always) public init() {}
  @inlinable @inline(__always) public func index(_ own: Int) -> Int { own }
}

extension _RowReader {
  /// Returns the position of a class's first own column.
  @inlinable public func firstColumn(_ base: _SubclassOffset) -> Int { layout.columnOffsets[base.depth] }
}
