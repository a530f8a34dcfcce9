import Foundation

/// The orders of strings that go by language. The raw value is the collation's name in SQL.
enum LocalizedOrder: String, CaseIterable, Sendable {
  /// As `localizedStandardCompare(_:)`.
  case standard = "larder_localized_standard"
  /// As `localizedCompare(_:)`.
  case plain = "larder_localized"

  func sign(_ left: String, _ right: String) -> Int {
    let order =
      switch self {
      case .standard: left.localizedStandardCompare(right)
      case .plain: left.localizedCompare(right)
      }
    // What people read as equal still needs one place, or an order would depend on where a row lies.
    return order == .orderedSame ? UTF8Comparison.order(left, right) : order.rawValue
  }
}
