// Conversions between the integers that the core stores and those that Swift counts by.
//
// The library's are generic: each file that converts makes the optimiser read all that a binary integer can do, for both
// types, and then throw it away. A file that imports this converts by these, and writes what it always wrote.

extension Int {
  @inlinable package init(_ value: Int64) { self = numericCast(value) }
  @inlinable package init(_ value: Int32) { self = numericCast(value) }
  @inlinable package init(_ value: UInt64) { self = numericCast(value) }
}

extension Int64 {
  @inlinable package init(_ value: Int) { self = numericCast(value) }
  @inlinable package init(_ value: Int32) { self = numericCast(value) }
}

extension Int32 {
  @inlinable package init(_ value: Int) { self = numericCast(value) }
  @inlinable package init(_ value: Int64) { self = numericCast(value) }
}

extension UInt64 {
  @inlinable package init(_ value: Int) { self = numericCast(value) }
}
