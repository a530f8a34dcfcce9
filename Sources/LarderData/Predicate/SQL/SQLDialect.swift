/// The differences between databases in the SQL of a condition.
///
/// ``SQLWriter`` decides the content: three-valued logic, the order of evaluation, the parameters. A dialect decides the
/// syntax of one operation. Operands are passed as SQL that can be used anywhere, in parentheses where they need them.
protocol SQLDialect: Sendable {
  func identifier(_ name: String) -> String
  func parameter(_ number: Int) -> String

  /// Returns a test whether a condition is false or NULL.
  func isNotTrue(_ condition: String) -> String
  /// Returns an equality that treats two NULLs as equal.
  func isSame(_ left: String, _ right: String) -> String
  /// Returns a column in a form that keeps the database from replacing the column by a constant that it equals, and that an
  /// index can serve.
  func withoutConstantPropagation(_ column: String) -> String
  /// Returns a comparison of values of this kind in Swift's order.
  func compare(_ order: ComparisonOrder, _ left: String, _ right: String, _ kind: ValueKind) -> String

  /// Returns the suffix of a value that selects an order.
  func collation(_ order: TextOrder) -> String

  /// Returns arithmetic that fails where Swift would trap.
  func arithmetic(_ operation: ArithmeticOperation, _ left: String, _ right: String, _ kind: ValueKind) -> String
  func negate(_ operand: String, _ kind: ValueKind) -> String
  /// Returns the operand, or a failure where it is NULL.
  func unwrap(_ operand: String) -> String

  func containsText(_ text: String, _ part: String) -> String
  /// Returns a test whether a string starts with a prefix.
  ///
  /// - Parameter end: A bound that is greater than each string with the prefix and than no other; nil where the prefix
  ///   isn't bound.
  func startsWith(_ text: String, _ prefix: String, end: String?) -> String
  func stringFunction(_ function: StringFunction, _ left: String, _ right: String) -> String
  func byteCount(_ operand: String) -> String
  /// Returns the number of characters in a string, as Swift counts them.
  func characterCount(_ operand: String) -> String
  /// Returns a test whether a value is in a list that is bound as a whole.
  func isMember(_ value: String, ofListIn parameter: String) -> String
}

/// An order of strings other than that of their bytes.
enum TextOrder: Sendable {
  case decimal
  case localized(LocalizedOrder)
}
