public import Foundation

/// Compares strings as people of the user's language sort them.
///
/// Foundation has these orders on Apple's platforms as `String.StandardComparator`; here the same spelling finds this
/// type:
///
/// ```swift
/// FetchDescriptor<Quake>(sortBy: [SortDescriptor(\.place, comparator: .localizedStandard)])
/// ```
public struct LocalizedStringComparator: SortComparator, Codable, Hashable, Sendable {
  public var order: SortOrder
  private let isStandard: Bool

  init(isStandard: Bool, order: SortOrder = .forward) {
    self.isStandard = isStandard
    self.order = order
  }

  var sortOrder: LocalizedOrder { isStandard ? .standard : .plain }

  public func compare(_ left: String, _ right: String) -> ComparisonResult {
    let sign = sortOrder.sign(left, right)
    return ComparisonResult(rawValue: order == .forward ? sign : -sign) ?? .orderedSame
  }
}

#if !canImport(Darwin)
  extension SortComparator where Self == LocalizedStringComparator {
    /// As Finder sorts: by language, numbers in a text by their value, without regard to case unless nothing else
    /// differs.
    public static var localizedStandard: LocalizedStringComparator { LocalizedStringComparator(isStandard: true) }

    /// By the rules of the user's language.
    public static var localized: LocalizedStringComparator { LocalizedStringComparator(isStandard: false) }
  }
#endif
