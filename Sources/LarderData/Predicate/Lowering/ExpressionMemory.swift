import Foundation

/// The memory of an expression, read by offset. No other code does so.
///
/// A `#Predicate` is a value whose type is its shape, so each part is at the same offset in every value of that type.
/// All offsets come from `MemoryLayout.offset(of:)` of the nodes' stored properties, and are used only with the type for
/// which they were determined; the plan cache has checked before that the expression is of this type.
/// `PredicateDifferentialTests` compare this reading with walking the tree.
struct ExpressionMemory {
  private let base: UnsafeRawPointer

  /// Passes the memory of an expression to `body`; it must not escape.
  static func with<Result>(
    _ expression: any StandardPredicateExpression<Bool>, _ body: (ExpressionMemory) throws -> Result
  ) rethrows -> Result {
    try open(expression, body)
  }

  private static func open<Expression: StandardPredicateExpression, Result>(
    _ expression: Expression, _ body: (ExpressionMemory) throws -> Result
  ) rethrows -> Result {
    try withUnsafePointer(to: expression) { try body(ExpressionMemory(base: UnsafeRawPointer($0))) }
  }

  /// Returns the size of an expression in bytes, which grows with its depth.
  static func size(of expression: any StandardPredicateExpression<Bool>) -> Int {
    func size<Expression>(of expression: Expression) -> Int { MemoryLayout<Expression>.size }
    return _openExistential(expression, do: size)
  }

  /// Returns whether two expressions have the same type and the same bytes.
  static func isSame(
    _ left: any StandardPredicateExpression<Bool>, _ right: any StandardPredicateExpression<Bool>
  ) -> Bool {
    guard type(of: left) == type(of: right) else { return false }
    let count = size(of: left)
    return with(left) { left in
      with(right) { right in
        UnsafeRawBufferPointer(start: left.base, count: count)
          .elementsEqual(UnsafeRawBufferPointer(start: right.base, count: count))
      }
    }
  }

  func load<Value>(at offset: Int, as type: Value.Type) -> Value { base.load(fromByteOffset: offset, as: type) }

  /// Returns whether the reference at an offset is this object.
  func hasObject(_ address: UnsafeRawPointer, at offset: Int) -> Bool {
    base.load(fromByteOffset: offset, as: UnsafeRawPointer.self) == address
  }

  func hasByte(_ byte: UInt8, at offset: Int) -> Bool { base.load(fromByteOffset: offset, as: UInt8.self) == byte }

  /// Returns whether the same variable is at both offsets.
  func hasSameVariable(at first: Int, and second: Int) -> Bool {
    load(at: first, as: PredicateExpressions.VariableID.self)
      == load(at: second, as: PredicateExpressions.VariableID.self)
  }

  /// Returns the address that ``hasObject(_:at:)`` compares. It identifies the object only while the object is retained.
  static func address(of object: AnyObject) -> UnsafeRawPointer {
    UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
  }

  /// Returns the byte of a one-byte value, which ``hasByte(_:at:)`` compares.
  static func byte<Value>(of value: Value) -> UInt8 {
    precondition(MemoryLayout<Value>.size == 1)
    return withUnsafeBytes(of: value) { $0[0] }
  }

  /// Returns a stored member of a value, by its offset and type.
  static func member<Root, Member>(of value: Root, at offset: Int, as type: Member.Type) -> Member {
    withUnsafePointer(to: value) { UnsafeRawPointer($0).load(fromByteOffset: offset, as: type) }
  }
}
