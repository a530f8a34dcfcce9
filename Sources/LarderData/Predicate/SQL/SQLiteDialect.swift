/// The SQL of SQLite, with the functions registered for its connections.
struct SQLiteDialect: SQLDialect {
  func identifier(_ name: String) -> String { StoreFormat.quoted(name) }
  func parameter(_ number: Int) -> String { "?\(number)" }

  func isNotTrue(_ condition: String) -> String { "\(condition) IS NOT TRUE" }

  func isSame(_ left: String, _ right: String) -> String { "\(left) IS \(right)" }

  // The order is the default: SQLite propagates constants to operands of `=` that are plain columns only.
  func withoutConstantPropagation(_ column: String) -> String { "\(column) COLLATE BINARY" }

  func compare(_ order: ComparisonOrder, _ left: String, _ right: String, _ kind: ValueKind) -> String {
    let sign =
      switch order {
      case .less: "<"
      case .lessOrEqual: "<="
      case .greater: ">"
      case .greaterOrEqual: ">="
      }
    // On the left operand: SQLite uses the left collation if both operands have one.
    let collation = kind == .decimal ? self.collation(.decimal) : ""
    return "\(left)\(collation) \(sign) \(right)"
  }

  func collation(_ order: TextOrder) -> String {
    switch order {
    case .decimal: " COLLATE larder_decimal"
    case .localized(let order): " COLLATE \(order.rawValue)"
    }
  }

  func arithmetic(_ operation: ArithmeticOperation, _ left: String, _ right: String, _ kind: ValueKind) -> String {
    // SQLite converts an overflowing integer to a floating-point number, and returns NULL for a division by zero.
    let function =
      switch operation {
      case .add: "larder_add"
      case .subtract: "larder_sub"
      case .multiply: "larder_mul"
      case .divide: "larder_div"
      case .remainder: "larder_mod"
      }
    switch (kind, operation) {
    case (.integer(let range), _): return narrowed("\(function)(\(left), \(right))", range)
    case (_, .add): return rounded("(\(left) + \(right))", kind)
    case (_, .subtract): return rounded("(\(left) - \(right))", kind)
    case (_, .multiply): return rounded("(\(left) * \(right))", kind)
    default: return rounded("\(function)(\(left), \(right))", kind)
    }
  }

  func negate(_ operand: String, _ kind: ValueKind) -> String {
    if case .integer(let range) = kind { return narrowed("larder_neg(\(operand))", range) }
    // SQLite's unary minus returns 0 for 0, where Swift returns −0, a valid divisor.
    return "(\(operand) * -1.0)"
  }

  func unwrap(_ operand: String) -> String { "\(PredicateFunctions.unwrap)(\(operand))" }

  func containsText(_ text: String, _ part: String) -> String { "instr(\(text), \(part)) > 0" }

  func startsWith(_ text: String, _ prefix: String, end: String?) -> String {
    if let end { return "\(text) >= \(prefix) AND \(text) < \(end)" }
    // substr and length would stop at a NUL, and substr of an empty blob is NULL.
    return "instr(\(text), \(prefix)) = 1"
  }

  func stringFunction(_ function: StringFunction, _ left: String, _ right: String) -> String {
    "\(function.rawValue)(\(left), \(right))"
  }

  func byteCount(_ operand: String) -> String { "length(\(operand))" }

  func characterCount(_ operand: String) -> String { "\(PredicateFunctions.characters)(\(operand))" }

  func isMember(_ value: String, ofListIn parameter: String) -> String {
    "\(value) IN (SELECT value FROM larder_values(\(parameter)))"
  }

  /// Returns an integer that fails on overflow of its type, if that is narrower than the store's.
  private func narrowed(_ text: String, _ range: ClosedRange<Int64>) -> String {
    if range == Int64.min...Int64.max { return text }
    return "\(PredicateFunctions.narrow)(\(text), \(range.lowerBound), \(range.upperBound))"
  }

  /// Returns a result of Float's arithmetic, rounded to a Float.
  private func rounded(_ text: String, _ kind: ValueKind) -> String {
    kind == .float ? "\(PredicateFunctions.round)(\(text))" : text
  }
}
