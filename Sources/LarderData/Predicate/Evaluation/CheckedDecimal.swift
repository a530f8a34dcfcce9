import Foundation

/// Decimal arithmetic that throws where Foundation rounds: `1e38 + 0.01` would be 1e38.
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
    case .noError:
      // Foundation does not report every digit that it drops.
      let isExact =
        switch operation {
        case .add: result - left == right && result - right == left
        case .subtract: result + right == left && left - result == right
        default: Digits(result) == Digits(left) * Digits(right)
        }
      guard isExact else { throw PredicateFailure.precisionLoss }
      return result
    case .divideByZero: throw PredicateFailure.divisionByZero
    case .overflow: throw PredicateFailure.overflow
    case .underflow, .lossOfPrecision: throw PredicateFailure.precisionLoss
    @unknown default: throw PredicateFailure.precisionLoss
    }
  }
}

/// The digits of a number, the last first, without its sign and its decimal point.
private struct Digits: Equatable {
  private var digits: [Int]

  init(_ number: Decimal) {
    self.init(number.significand.description.unicodeScalars.reversed().compactMap { Int(String($0)) })
  }

  /// Creates the digits without the zeros at both ends, which a Decimal has in its exponent.
  private init(_ digits: [Int]) {
    guard let first = digits.firstIndex(where: { $0 != 0 }), let last = digits.lastIndex(where: { $0 != 0 }) else {
      self.digits = []
      return
    }
    self.digits = Array(digits[first...last])
  }

  static func * (left: Digits, right: Digits) -> Digits {
    var product = Array(repeating: 0, count: left.digits.count + right.digits.count)
    for (place, digit) in left.digits.enumerated() {
      var carry = 0
      for (offset, other) in right.digits.enumerated() {
        let sum = product[place + offset] + digit * other + carry
        product[place + offset] = sum % 10
        carry = sum / 10
      }
      if !right.digits.isEmpty { product[place + right.digits.count] += carry }
    }
    return Digits(product)
  }
}
