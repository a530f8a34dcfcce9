/// The reason why the checked arithmetic of ``Connection`` failed: `larder_add`, `larder_sub`, `larder_mul`,
/// `larder_div`, `larder_mod` and `larder_neg` raise an error where Swift's operators trap.
public enum ArithmeticFailure: Sendable, Equatable {
  /// The result does not fit into 64 bits.
  case overflow(function: String)
  /// The divisor is zero.
  case divisionByZero(function: String)
  /// An operand is a text or a blob.
  case notANumber(function: String)

  var advice: String {
    switch self {
    case .overflow: "Use smaller numbers, or Double, whose range is wider."
    case .divisionByZero: "Exclude zero before dividing."
    case .notANumber: "Give numbers to arithmetic."
    }
  }
}

extension SQLiteError {
  /// The arithmetic failure, if the error is one of checked arithmetic.
  public var arithmetic: ArithmeticFailure? {
    guard code == .error else { return nil }
    func function(after beginning: String) -> String? {
      message.hasPrefix(beginning) ? String(message.dropFirst(beginning.count)) : nil
    }
    if let name = function(after: ArithmeticFailure.overflowMessage) { return .overflow(function: name) }
    if let name = function(after: ArithmeticFailure.divisionMessage) { return .divisionByZero(function: name) }
    if let name = function(after: ArithmeticFailure.operandMessage) { return .notANumber(function: name) }
    return nil
  }
}

extension ArithmeticFailure {
  // As in CLarderSQLite.h.
  static let overflowMessage = "larder arithmetic overflow in "
  static let divisionMessage = "larder division by zero in "
  static let operandMessage = "larder arithmetic on a value that is not a number in "
}
