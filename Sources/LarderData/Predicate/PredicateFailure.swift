public import Foundation
package import LarderSQLite

/// The reason why a predicate could not be evaluated, although every part of it is supported.
///
/// Swift itself would trap here. A fetch throws this error instead, both for rows in the store and for pending objects.
public enum PredicateFailure: Error, Hashable, Sendable {
  /// An integer sum, difference or product that exceeds its type.
  case overflow
  case divisionByZero
  /// `!` applied to nil.
  case unexpectedNil
  /// `as!` to a type that the value does not have.
  case unexpectedType
  /// A subscript's index or range outside of the collection.
  case indexOutOfRange
  /// A Decimal sum, difference or product with more digits than a Decimal can hold.
  case precisionLoss
  /// A captured value that cannot be computed, or that no store can hold.
  case captured(String)
  /// A value of another type than its column's, presumably written by another program.
  case unexpectedValue
}

extension PredicateFailure: CustomStringConvertible, LocalizedError {
  public var errorDescription: String? { description }

  /// The error, and the way to fix it.
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

  /// Creates the failure with which a predicate's statement ended, if that is the cause of the error.
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
