/// A set of properties of a model, with one bit for each.
///
/// A model may have more properties than there are bits: the properties after the 63rd share the last bit, and are
/// recorded, written and restored together.
///
/// ```swift
/// let mask = layout.properties[0].bit | layout.properties[2].bit
/// if mask & header.pointee.changed != 0 { … }
/// ```
@frozen
public struct _PropertyMask: Hashable, Sendable, ExpressibleByIntegerLiteral {
  /// The bits: a property's bit is at its index.
  public var rawValue: UInt64

  /// Creates a set from its bits.
  @inlinable
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  @inlinable
  public init(integerLiteral value: UInt64) { rawValue = value }

  /// Creates an empty set.
  @inlinable
  public init() { rawValue = 0 }

  /// Creates the set of the property at an index of its layout.
  @inlinable
  public init(index: Int) { rawValue = 1 &<< UInt64(truncatingIfNeeded: min(index, _PropertyMask.lastIndex)) }

  /// The index from which properties share a bit.
  @inlinable public static var lastIndex: Int { 63 }

  /// Whether the set is empty.
  @inlinable public var isEmpty: Bool { rawValue == 0 }

  /// The index of the first property in the set; 64 if the set is empty.
  @inlinable public var firstIndex: Int { rawValue.trailingZeroBitCount }

  /// The set of only the first property.
  @inlinable public var first: _PropertyMask { _PropertyMask(rawValue: rawValue & (0 &- rawValue)) }

  /// The number of bits.
  @inlinable public var count: Int { rawValue.nonzeroBitCount }

  /// Returns the union of two sets.
  @inlinable
  public static func | (one: _PropertyMask, other: _PropertyMask) -> _PropertyMask {
    _PropertyMask(rawValue: one.rawValue | other.rawValue)
  }

  /// Returns the intersection of two sets.
  @inlinable
  public static func & (one: _PropertyMask, other: _PropertyMask) -> _PropertyMask {
    _PropertyMask(rawValue: one.rawValue & other.rawValue)
  }

  /// Returns the complement of a set.
  @inlinable
  public static prefix func ~ (mask: _PropertyMask) -> _PropertyMask { _PropertyMask(rawValue: ~mask.rawValue) }

  @inlinable
  public static func |= (one: inout _PropertyMask, other: _PropertyMask) { one.rawValue |= other.rawValue }

  @inlinable
  public static func &= (one: inout _PropertyMask, other: _PropertyMask) { one.rawValue &= other.rawValue }

  @inlinable
  public static func == (one: _PropertyMask, other: _PropertyMask) -> Bool { one.rawValue == other.rawValue }
}
