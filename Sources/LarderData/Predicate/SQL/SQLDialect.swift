/// What differs between databases in the text of a condition.
///
/// ``SQLWriter`` decides what is said: three-valued logic, the order of evaluation, which parameters there are. A
/// dialect decides how one operation is spelt. Operands arrive as text that can stand anywhere, in parentheses where
/// they need them.
protocol SQLDialect: Sendable {
  func identifier(_ name: String) -> String
  func parameter(_ number: Int) -> String

  /// Whether a condition is false or NULL.
  func isNotTrue(_ condition: String) -> String
  /// Equality that treats two NULLs as equal.
  func isSame(_ left: String, _ right: String) -> String
  /// A column whose equality with a constant does not let the database put the constant wherever the column stands,
  /// and that an index can answer.
  func withoutConstantPropagation(_ column: String) -> String
  /// A comparison of values of this kind in the order that Swift gives them.
  func compare(_ order: ComparisonOrder, _ left: String, _ right: String, _ kind: ValueKind) -> String

  /// What is written after a value to have it ordered this way.
  func collation(_ order: TextOrder) -> String

  /// Arithmetic that fails where Swift would trap.
  func arithmetic(_ operation: ArithmeticOperation, _ left: String, _ right: String, _ kind: ValueKind) -> String
  func negate(_ operand: String, _ kind: ValueKind) -> String
  /// The operand, or a failure where it is NULL.
  func unwrap(_ operand: String) -> String

  func containsText(_ text: String, _ part: String) -> String
  /// - Parameter end: A bound that is greater than each text with the prefix and than no other; nil where the prefix
  ///   isn't bound.
  func startsWith(_ text: String, _ prefix: String, end: String?) -> String
  func stringFunction(_ function: StringFunction, _ left: String, _ right: String) -> String
  func byteCount(_ operand: String) -> String
  /// How many characters a text has, as Swift counts them.
  func characterCount(_ operand: String) -> String
  /// Whether a value is in a list that is bound as a whole.
  func isMember(_ value: String, ofListIn parameter: String) -> String
}

/// Orders of texts other than that of their bytes.
enum TextOrder: Sendable {
  case decimal
  case localized(LocalizedOrder)
}
