import Foundation

/// Swift's arithmetic, which throws where Swift traps.
enum CheckedArithmetic {
  static func apply(
    _ operation: ArithmeticOperation, _ left: _StoredValue, _ right: _StoredValue, _ kind: ValueKind
  ) throws -> _StoredValue {
    switch (left, right, kind) {
    case (.integer(let left), .integer(let right), .integer(let range)):
      .integer(try integer(operation, left, right, range))
    // A captured integer that exceeds a store's range.
    case (.real, _, .integer), (_, .real, .integer): throw PredicateFailure.overflow
    case (.real(let left), .real(let right), .float): real(Double(Float(real(operation, left, right))))
    case (.real(let left), .real(let right), _): real(real(operation, left, right))
    case (.null, _, _), (_, .null, _): .null
    default: throw PredicateFailure.unexpectedValue
    }
  }

  static func negate(_ value: _StoredValue, _ kind: ValueKind) throws -> _StoredValue {
    switch (value, kind) {
    case (.integer(let value), .integer(let range)): .integer(try integer(.subtract, 0, value, range))
    case (.real, .integer): throw PredicateFailure.overflow
    case (.real(let value), _): .real(-value)
    case (.null, _): .null
    default: throw PredicateFailure.unexpectedValue
    }
  }

  private static func integer(
    _ operation: ArithmeticOperation, _ left: Int64, _ right: Int64, _ range: ClosedRange<Int64>
  ) throws -> Int64 {
    if operation == .divide || operation == .remainder, right == 0 { throw PredicateFailure.divisionByZero }
    let (result, overflow) =
      switch operation {
      case .add: left.addingReportingOverflow(right)
      case .subtract: left.subtractingReportingOverflow(right)
      case .multiply: left.multipliedReportingOverflow(by: right)
      case .divide: left.dividedReportingOverflow(by: right)
      case .remainder: left.remainderReportingOverflow(dividingBy: right)
      }
    guard !overflow, range.contains(result) else { throw PredicateFailure.overflow }
    return result
  }

  private static func real(_ operation: ArithmeticOperation, _ left: Double, _ right: Double) -> Double {
    switch operation {
    case .add: left + right
    case .subtract: left - right
    case .multiply: left * right
    case .divide: left / right
    case .remainder: left.truncatingRemainder(dividingBy: right)
    }
  }

  /// Returns NULL for a NaN, as SQL does.
  private static func real(_ value: Double) -> _StoredValue { value.isNaN ? .null : .real(value) }
}
