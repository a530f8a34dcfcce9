import Foundation

/// A scalar that can be a member of a composite.
///
/// The functions are requirements with defaults, so that each scalar has its own specialised versions in its witness table:
/// the methods of a generic class are not specialised, and cost ten times as much.
protocol MemberValue: _ColumnValue {
  /// Initialises the memory with the column's value.
  static func readMember(_ row: borrowing _RowReader, _ column: Int, into member: UnsafeMutableRawPointer)
  static func readOptionalMember(_ row: borrowing _RowReader, _ column: Int, into member: UnsafeMutableRawPointer)
  /// Does the same as `readMember`, unless the column is NULL; then it initialises nothing and returns false.
  static func readNullableMember(
    _ row: borrowing _RowReader, _ column: Int, into member: UnsafeMutableRawPointer
  ) -> Bool

  static func writeMember(_ member: UnsafeRawPointer, to binder: inout _RowBinder)
  static func writeOptionalMember(_ member: UnsafeRawPointer, to binder: inout _RowBinder)

  static func isSameMember(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool
  static func isSameOptionalMember(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool
}

extension Bool: MemberValue {}
extension Int: MemberValue {}
extension Int8: MemberValue {}
extension Int16: MemberValue {}
extension Int32: MemberValue {}
extension Int64: MemberValue {}
extension UInt: MemberValue {}
extension UInt8: MemberValue {}
extension UInt16: MemberValue {}
extension UInt32: MemberValue {}
extension UInt64: MemberValue {}
extension Double: MemberValue {}
extension Float: MemberValue {}
extension String: MemberValue {}
extension Date: MemberValue {}
extension Data: MemberValue {}
extension UUID: MemberValue {}
extension URL: MemberValue {}
extension Decimal: MemberValue {}
