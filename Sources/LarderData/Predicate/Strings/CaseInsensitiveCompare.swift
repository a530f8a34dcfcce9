import LarderSupport

#if !canImport(Darwin)
  public import Foundation

  extension PredicateExpressions {
    /// `caseInsensitiveCompare(_:)` in a predicate: the order of two strings without regard to case.
    ///
    /// ```swift
    /// let same = ComparisonResult.orderedSame
    /// #Predicate<Quake> { $0.place.caseInsensitiveCompare("alaska") == same }
    /// ```
    public typealias StringCaseInsensitiveCompare<Root: PredicateExpression, Other: PredicateExpression> =
      StringMethodCall<CaseInsensitiveCompareMethod, Root, Other>
    where Root.Output: StringProtocol, Other.Output: StringProtocol

    /// What `#Predicate` makes of `caseInsensitiveCompare(_:)`.
    // The macro chooses the name.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static func build_caseInsensitiveCompare<Root, Other>(
      _ root: Root, _ other: Other
    ) -> StringCaseInsensitiveCompare<Root, Other> {
      StringCaseInsensitiveCompare(root: root, other: other)
    }
  }

  public enum CaseInsensitiveCompareMethod: LowerableStringMethod {
    static let function = StringFunction.caseInsensitiveCompare
    static var kind: ValueKind { .raw(.integer(Int64.min...Int64.max)) }

    public static func apply(_ left: String, _ right: String) -> ComparisonResult {
      ComparisonResult(rawValue: Int(function(left, right))) ?? .orderedSame
    }
  }
#endif
