// Conversions between the integers that the core stores and the integers that Swift counts with.
//
// The library's conversions are generic: in each file that uses them the optimiser reads all members of a binary
// integer, for both types, and then discards them. A file that imports this module uses these overloads with the same
// source text.

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
