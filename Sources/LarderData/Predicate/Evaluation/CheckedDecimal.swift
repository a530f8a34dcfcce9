import Foundation

/// Decimal arithmetic with an error where Foundation's rounds: `1e38 + 0.01` would be 1e38.
enum CheckedDecimal {
  static func apply(_ operation: ArithmeticOperation, _ left: Decimal, _ right: Decimal) throws -> Decimal {
    var (left, right) = (left, right)
    var result = Decimal()
    let problem: NSDecimalNumber.CalculationError =
      switch operation {
      case .add: NSDecimalAdd(&result, &left, &right, .plain)
      case .subtract: NSDecimalSubtract(&result, &left, &right, .plain)
      case .multiply: NSDecimalMultiply(&result, &left, &right, .plain)
      case .divide, .remainder: throw PredicateFailure.unexpectedValue
      }
    switch problem {
    case .noError: return result
    case .divideByZero: throw PredicateFailure.divisionByZero
    case .overflow: throw PredicateFailure.overflow
    case .underflow, .lossOfPrecision: throw PredicateFailure.lostDigits
    @unknown default: throw PredicateFailure.lostDigits
    }
  }
}
