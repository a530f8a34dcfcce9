/// A set of properties of a model, by a bit for each.
///
/// A model may have more properties than there are bits: those past the 63rd share the last one, and are recorded, written
/// and restored together.
///
/// ```swift
/// let mask = layout.properties[0].bit | layout.properties[2].bit
/// if mask & header.pointee.changed != 0 { … }
/// ```
@frozen
public struct _PropertyMask: Hashable, Sendable, ExpressibleByIntegerLiteral {
  /// The bits: that of a property is at its index.
  public var rawValue: UInt64

  @inlinable
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  @inlinable
  public init(integerLiteral value: UInt64) { rawValue = value }

  /// Makes a set of no property.
  @inlinable
  public init() { rawValue = 0 }

  /// The bit of the property at an index of its layout.
  @inlinable
  public init(index: Int) { rawValue = 1 &<< UInt64(truncatingIfNeeded: min(index, _PropertyMask.lastIndex)) }

  /// The index from which on properties share a bit.
  @inlinable public static var lastIndex: Int { 63 }

  @inlinable public var isEmpty: Bool { rawValue == 0 }

  /// The index of the first property that is in the set; 64 where there is none.
  @inlinable public var firstIndex: Int { rawValue.trailingZeroBitCount }

  /// The set of the first property alone.
  @inlinable public var first: _PropertyMask { _PropertyMask(rawValue: rawValue & (0 &- rawValue)) }

  /// The number of bits.
  @inlinable public var count: Int { rawValue.nonzeroBitCount }

  @inlinable
  public static func | (one: _PropertyMask, other: _PropertyMask) -> _PropertyMask {
    _PropertyMask(rawValue: one.rawValue | other.rawValue)
  }

  @inlinable
  public static func & (one: _PropertyMask, other: _PropertyMask) -> _PropertyMask {
    _PropertyMask(rawValue: one.rawValue & other.rawValue)
  }

  @inlinable
  public static prefix func ~ (mask: _PropertyMask) -> _PropertyMask { _PropertyMask(rawValue: ~mask.rawValue) }

  @inlinable
  public static func |= (one: inout _PropertyMask, other: _PropertyMask) { one.rawValue |= other.rawValue }

  @inlinable
  public static func &= (one: inout _PropertyMask, other: _PropertyMask) { one.rawValue &= other.rawValue }

  @inlinable
  public static func == (one: _PropertyMask, other: _PropertyMask) -> Bool { one.rawValue == other.rawValue }
}
