#if !canImport(Darwin)
  public import Foundation

  extension PredicateExpressions {
    /// `localizedStandardContains(_:)` in a predicate: whether a string contains another, as people search: without
    /// regard to case and accents.
    ///
    /// ```swift
    /// #Predicate<Quake> { $0.place.localizedStandardContains("méxico") }
    /// ```
    public typealias StringLocalizedStandardContains<Root: PredicateExpression, Other: PredicateExpression> =
      StringMethodCall<LocalizedStandardContainsMethod, Root, Other>
    where Root.Output: StringProtocol, Other.Output: StringProtocol

    /// What `#Predicate` makes of `localizedStandardContains(_:)`.
    // The macro chooses the name.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static func build_localizedStandardContains<Root, Other>(
      _ root: Root, _ other: Other
    ) -> StringLocalizedStandardContains<Root, Other> {
      StringLocalizedStandardContains(root: root, other: other)
    }
  }

  public enum LocalizedStandardContainsMethod: LowerableStringMethod {
    static let function = StringFunction.localizedStandardContains
    static var kind: ValueKind { .bool }

    public static func apply(_ left: String, _ right: String) -> Bool { function(left, right) != 0 }
  }
#endif
