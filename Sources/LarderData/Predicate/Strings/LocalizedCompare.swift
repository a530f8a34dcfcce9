import LarderSupport

#if !canImport(Darwin)
  public import Foundation

  extension PredicateExpressions {
    /// `localizedCompare(_:)` in a predicate: the order of two strings in the user's language.
    ///
    /// ```swift
    /// let ascending = ComparisonResult.orderedAscending
    /// #Predicate<Quake> { $0.place.localizedCompare("Z") == ascending }
    /// ```
    public typealias StringLocalizedCompare<Root: PredicateExpression, Other: PredicateExpression> =
      StringMethodCall<LocalizedCompareMethod, Root, Other>
    where Root.Output: StringProtocol, Other.Output: StringProtocol

    /// What `#Predicate` makes of `localizedCompare(_:)`.
    // The macro chooses the name.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static func build_localizedCompare<Root, Other>(
      _ root: Root, _ other: Other
    ) -> StringLocalizedCompare<Root, Other> {
      StringLocalizedCompare(root: root, other: other)
    }
  }

  public enum LocalizedCompareMethod: LowerableStringMethod {
    static let function = StringFunction.localizedCompare
    static var kind: ValueKind { .raw(.integer(Int64.min...Int64.max)) }

    public static func apply(_ left: String, _ right: String) -> ComparisonResult {
      ComparisonResult(rawValue: Int(function(left, right))) ?? .orderedSame
    }
  }
#endif
