public import Foundation

/// Compares strings as people of the user's language sort them.
///
/// Foundation has these orders on Apple's platforms as `String.StandardComparator`; here the same spelling finds this
/// type:
///
/// ```swift
/// FetchDescriptor<Quake>(sortBy: [SortDescriptor(\.place, comparator: .localizedStandard)])
/// ```
public struct LocalizedStringComparator: Hashable, Sendable {
  let sortOrder: LocalizedOrder

  /// As a file manager sorts: by language, numbers in a text by their value, without regard to case unless nothing
  /// else differs.
  public static var localizedStandard: LocalizedStringComparator { LocalizedStringComparator(sortOrder: .standard) }

  /// By the rules of the user's language.
  public static var localized: LocalizedStringComparator { LocalizedStringComparator(sortOrder: .plain) }
}

#if !canImport(Darwin)
  extension SortDescriptor {
    /// Sorts by a string, as people of the user's language do.
    public init(
      _ keyPath: any KeyPath<Compared, String> & Sendable, comparator: LocalizedStringComparator,
      order: SortOrder = .forward
    ) {
      switch comparator.sortOrder {
      case .standard: self.init(keyPath, order: order)
      case .plain: self.init(sendable(keyPath.appending(path: \String.inLocalizedOrder)), order: order)
      }
    }

    /// Sorts by an optional string, as people of the user's language do; nil comes first.
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

  /// A key path made of two that may be sent, of which the compiler has lost sight. Sendable leaves no trace in a
  /// value, so this changes nothing but the static type.
  private func sendable<Root, Value>(_ keyPath: KeyPath<Root, Value>) -> any KeyPath<Root, Value> & Sendable {
    unsafeBitCast(keyPath, to: (any KeyPath<Root, Value> & Sendable).self)
  }
#endif

/// A string that compares as people of the user's language sort: what a sort descriptor's key path can lead to, where
/// Foundation leaves no other place to name an order.
struct LocalizedText: Comparable {
  let text: String

  static func < (left: LocalizedText, right: LocalizedText) -> Bool {
    LocalizedOrder.plain.sign(left.text, right.text) < 0
  }

  /// Whether a key path is a column's own, followed by the step into this order.
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
