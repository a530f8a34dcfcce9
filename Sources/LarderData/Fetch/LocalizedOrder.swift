import Foundation

/// The orders of strings that depend on the language. The raw value is the name of the collation in SQL.
enum LocalizedOrder: String, CaseIterable, Sendable {
  /// The order of `localizedStandardCompare(_:)`.
  case standard = "larder_localized_standard"
  /// The order of `localizedCompare(_:)`.
  case plain = "larder_localized"

  func sign(_ left: String, _ right: String) -> Int {
    let order =
      switch self {
      case .standard: left.localizedStandardCompare(right)
      case .plain: left.localizedCompare(right)
      }
    // Strings that compare equal still need a defined order, or the result would depend on the order of rows.
    return order == .orderedSame ? UTF8Comparison.order(left, right) : order.rawValue
  }
}
