public import Foundation

/// A comparator that sorts strings by the rules of the user's language.
///
/// On Apple's platforms Foundation has these orders as `String.StandardComparator`. Here the same source code uses this
/// type:
///
/// ```swift
/// FetchDescriptor<Quake>(sortBy: [SortDescriptor(\.place, comparator: .localizedStandard)])
/// ```
public struct LocalizedStringComparator: Hashable, Sendable {
  let sortOrder: LocalizedOrder

  /// The order of a file manager: by language, digits in a string by their numeric value. Case matters only if the strings
  /// are otherwise equal.
  public static var localizedStandard: LocalizedStringComparator { LocalizedStringComparator(sortOrder: .standard) }

  /// The order of the user's language.
  public static var localized: LocalizedStringComparator { LocalizedStringComparator(sortOrder: .plain) }
}

#if !canImport(Darwin)
  extension SortDescriptor {
    /// Sorts by a string property, in an order of the user's language.
    ///
    /// - Parameters:
    ///   - keyPath: The property to sort by.
    ///   - comparator: The order of strings.
    ///   - order: Whether the order is ascending or descending.
    public init(
      _ keyPath: any KeyPath<Compared, String> & Sendable, comparator: LocalizedStringComparator,
      order: SortOrder = .forward
    ) {
      switch comparator.sortOrder {
      case .standard: self.init(keyPath, order: order)
      case .plain: self.init(sendable(keyPath.appending(path: \String.inLocalizedOrder)), order: order)
      }
    }

    /// Sorts by an optional string property, in an order of the user's language; `nil` comes first.
    ///
    /// - Parameters:
    ///   - keyPath: The property to sort by.
    ///   - comparator: The order of strings.
    ///   - order: Whether the order is ascending or descending.
    public init(
      _ keyPath: any KeyPath<Compared, String?> & Sendable, comparator: LocalizedStringComparator,
      order: SortOrder = .forward
    ) {
      switch comparator.sortOrder {
      case .standard: self.init(keyPath, order: order)
      case .plain: self.init(sendable(keyPath.appending(path: \String?.inLocalizedOrder)), order: order)
      }
    }
  }

  /// Restores the `Sendable` of a key path that was appended from two Sendable ones. `Sendable` leaves no trace in a
  /// value, so this changes only the static type.
  private func sendable<Root, Value>(_ keyPath: KeyPath<Root, Value>) -> any KeyPath<Root, Value> & Sendable {
    unsafeBitCast(keyPath, to: (any KeyPath<Root, Value> & Sendable).self)
  }
#endif

/// A string that compares in the order of the user's language. A sort descriptor's key path can end in this type, since
/// Foundation has no other place for a custom order.
struct LocalizedText: Comparable {
  let text: String

  static func < (left: LocalizedText, right: LocalizedText) -> Bool {
    LocalizedOrder.plain.sign(left.text, right.text) < 0
  }

  /// Returns whether a key path is the column's own, followed by the step into this order.
  static func isComponent(appendedTo column: AnyKeyPath, in keyPath: AnyKeyPath) -> Bool {
    column.appending(path: \String.inLocalizedOrder) == keyPath
      || column.appending(path: \String?.inLocalizedOrder) == keyPath
  }
}

extension String {
  var inLocalizedOrder: LocalizedText { LocalizedText(text: self) }
}

extension String? {
  var inLocalizedOrder: LocalizedText? { map { LocalizedText(text: $0) } }
}
