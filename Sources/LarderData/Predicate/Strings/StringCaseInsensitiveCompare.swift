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
    public struct StringCaseInsensitiveCompare<Root: PredicateExpression, Other: PredicateExpression>:
      PredicateExpression
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
      public typealias Output = ComparisonResult

      public let root: Root
      public let other: Other

      public init(root: Root, other: Other) {
        self.root = root
        self.other = other
      }

      public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
        ComparisonResult(rawValue: Int(try result(bindings))) ?? .orderedSame
      }
    }

    /// Creates the expression of `caseInsensitiveCompare(_:)` in a `#Predicate`.
    // The macro chooses the name.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static func build_caseInsensitiveCompare<Root, Other>(
      _ root: Root, _ other: Other
    ) -> StringCaseInsensitiveCompare<Root, Other> {
      StringCaseInsensitiveCompare(root: root, other: other)
    }
  }

  extension PredicateExpressions.StringCaseInsensitiveCompare: StandardPredicateExpression
  where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

  extension PredicateExpressions.StringCaseInsensitiveCompare: Codable where Root: Codable, Other: Codable {}

  extension PredicateExpressions.StringCaseInsensitiveCompare: Sendable where Root: Sendable, Other: Sendable {}

  extension PredicateExpressions.StringCaseInsensitiveCompare: StringMethodExpression, LowerableExpression {
    static var function: StringFunction { .caseInsensitiveCompare }
    static var kind: ValueKind { .raw(.integer(Int64.min...Int64.max)) }

    func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
      try lower(&lowering, at: offset, root: \Self.root, other: \Self.other)
    }
  }
#endif
