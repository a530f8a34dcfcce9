public import Foundation
package import LarderSQLite

/// Why a predicate could not be decided, although every part of it is supported.
///
/// Swift itself would trap here; a fetch throws this instead, whether the store or the evaluator of pending objects
/// met it.
public enum PredicateFailure: Error, Hashable, Sendable {
  /// An integer sum, difference or product has no place in its type.
  case overflow
  case divisionByZero
  /// `!` was applied to nil.
  case unexpectedNil
  /// `as!` to a type that the value hasn't.
  case unexpectedType
  /// A subscript's index, or range, is none of the collection's.
  case indexOutOfRange
  /// A Decimal sum, difference or product has more digits than a Decimal.
  case precisionLoss
  /// A captured value cannot be had, or is none that a store could hold.
  case captured(String)
  /// A value of another type than its column's, which another program must have written.
  case unexpectedValue
}

extension PredicateFailure: CustomStringConvertible, LocalizedError {
  public var errorDescription: String? { description }

  /// What happened and what to do about it.
  public var description: String {
    switch self {
    case .overflow:
      "An integer in the predicate overflows. Use smaller numbers, or compare without arithmetic."
    case .divisionByZero: "The predicate divides by zero. Exclude zero before dividing."
    case .unexpectedNil: "The predicate unwraps nil with !. Use ??, if let or optional chaining."
    case .unexpectedType: "The predicate casts with as! to a type that a value doesn't have. Use as?."
    case .indexOutOfRange: "The predicate's subscript goes past the end of a collection. Compare with count before."
    case .precisionLoss:
      "A Decimal in the predicate has more than 38 digits. Use smaller numbers, or compare without arithmetic."
    case .captured(let reason): "A value captured by the predicate can't be used: \(reason)."
    case .unexpectedValue: "The store has a value of another type than the model's property. Check who else wrote it."
    }
  }

  /// The failure that a statement made from a predicate ended with, if it was one.
  package init?(_ error: SQLiteError) {
    switch error.arithmetic {
    case .overflow: self = .overflow
    case .divisionByZero: self = .divisionByZero
    case .notANumber: self = .unexpectedValue
    case nil:
      switch error.message {
      case PredicateFunctions.unexpectedNilMessage: self = .unexpectedNil
      case PredicateFunctions.overflowMessage: self = .overflow
      default: return nil
      }
    }
  }
}
