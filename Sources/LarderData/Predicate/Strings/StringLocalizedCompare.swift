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
    public struct StringLocalizedCompare<Root: PredicateExpression, Other: PredicateExpression>: PredicateExpression
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

    /// Creates the expression of `localizedCompare(_:)` in a `#Predicate`.
    // The macro chooses the name.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static func build_localizedCompare<Root, Other>(
      _ root: Root, _ other: Other
    ) -> StringLocalizedCompare<Root, Other> {
      StringLocalizedCompare(root: root, other: other)
    }
  }

  extension PredicateExpressions.StringLocalizedCompare: StandardPredicateExpression
  where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

  extension PredicateExpressions.StringLocalizedCompare: Codable where Root: Codable, Other: Codable {}

  extension PredicateExpressions.StringLocalizedCompare: Sendable where Root: Sendable, Other: Sendable {}

  extension PredicateExpressions.StringLocalizedCompare: StringMethodExpression, LowerableExpression {
    static var function: StringFunction { .localizedCompare }
    static var kind: ValueKind { .raw(.integer(Int64.min...Int64.max)) }

    func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
      try lower(&lowering, at: offset, root: \Self.root, other: \Self.other)
    }
  }
#endif
