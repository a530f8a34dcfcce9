import Foundation
import LarderSupport

/// The comparisons of strings by language and case: SQL and the evaluator share the code.
///
/// The raw value is the function's name in SQL.
enum StringFunction: String, CaseIterable, Sendable {
  case localizedStandardContains = "larder_localized_contains"
  case localizedCompare = "larder_localized_compare"
  case caseInsensitiveCompare = "larder_case_insensitive_compare"

  /// Returns a Bool as 0 or 1, an order as the raw value of `ComparisonResult`.
  func callAsFunction(_ left: String, _ right: String) -> Int64 {
    switch self {
    case .localizedStandardContains: StringFunction.contains(left, right) ? 1 : 0
    case .localizedCompare: Int64(left.localizedCompare(right).rawValue)
    case .caseInsensitiveCompare: Int64(left.caseInsensitiveCompare(right).rawValue)
    }
  }

  private static func contains(_ text: String, _ part: String) -> Bool { text.localizedStandardContains(part) }
}
