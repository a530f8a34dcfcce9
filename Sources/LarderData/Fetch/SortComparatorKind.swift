import Foundation

/// Which order a sort descriptor asks for.
///
/// Foundation says only that a descriptor has a key path and a direction; its comparator is found by reflection.
enum SortComparatorKind {
  /// By the bytes.
  case lexical
  case localized(LocalizedOrder)
  /// A comparator that only Swift can run.
  case unknown(String)
}

/// The orders of strings that go by language. The raw value is the collation's name in SQL.
///
/// `larder_localized…` compare as `localizedStandardCompare(_:)` and `localizedCompare(_:)` do.
enum LocalizedOrder: String, CaseIterable, Sendable {
  case standard = "larder_localized_standard"
  case plain = "larder_localized"

  func sign(_ left: String, _ right: String) -> Int {
    let order =
      switch self {
      case .standard: left.localizedStandardCompare(right)
      case .plain: left.localizedCompare(right)
      }
    // What people read as equal still needs one place, or an order would depend on where a row lies.
    return order == .orderedSame ? TextBytes.order(left, right) : order.rawValue
  }
}

extension SortComparatorKind {
  static func of<Model>(_ descriptor: SortDescriptor<Model>) -> SortComparatorKind {
    guard let comparison = Mirror(reflecting: descriptor).descendant("comparison"),
      let choice = Mirror(reflecting: comparison).children.first
    else { return .localized(.standard) }
    let parts = Mirror(reflecting: choice.value).children.map(\.value)
    guard var comparator = parts.first else { return .localized(.standard) }
    // A comparator of strings; else any comparator in a box, perhaps one of optionals around it.
    if let standard = comparator as? String.StandardComparator { return of(standard) }
    while let inner = Mirror(reflecting: comparator).descendant("_base")
      ?? Mirror(reflecting: comparator).descendant("base")
    {
      comparator = inner
    }
    switch comparator {
    // What a String's key path alone gives on this platform; on Apple's it is localizedStandard.
    case is ComparableComparator<String>: return .localized(.standard)
    case let comparator as LocalizedStringComparator: return .localized(comparator.sortOrder)
    case let comparator as String.StandardComparator: return of(comparator)
    default: return .unknown("\(type(of: comparator))")
    }
  }

  private static func of(_ comparator: String.StandardComparator) -> SortComparatorKind {
    var plain = comparator
    plain.order = .forward
    if plain == .lexical { return .lexical }
    #if canImport(Darwin)
      if plain == .localizedStandard { return .localized(.standard) }
      if plain == .localized { return .localized(.plain) }
    #endif
    return .unknown("\(comparator)")
  }
}
