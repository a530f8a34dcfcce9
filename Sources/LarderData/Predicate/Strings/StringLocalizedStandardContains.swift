#if !canImport(Darwin)
  public import Foundation

  extension PredicateExpressions {
    /// `localizedStandardContains(_:)` in a predicate: whether a string contains another, without regard to case and accents,
    /// as in a search field.
    ///
    /// ```swift
    /// #Predicate<Quake> { $0.place.localizedStandardContains("méxico") }
    /// ```
    public struct StringLocalizedStandardContains<Root: PredicateExpression, Other: PredicateExpression>:
      PredicateExpression
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
      public typealias Output = Bool

      public let root: Root
      public let other: Other

      public init(root: Root, other: Other) {
        self.root = root
        self.other = other
      }

      public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
        try result(bindings) != 0
      }
    }

    /// Creates the expression of `localizedStandardContains(_:)` in a `#Predicate`.
    // The macro chooses the name.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static func build_localizedStandardContains<Root, Other>(
      _ root: Root, _ other: Other
    ) -> StringLocalizedStandardContains<Root, Other> {
      StringLocalizedStandardContains(root: root, other: other)
    }
  }

  extension PredicateExpressions.StringLocalizedStandardContains: StandardPredicateExpression
  where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

  extension PredicateExpressions.StringLocalizedStandardContains: Codable where Root: Codable, Other: Codable {}

  extension PredicateExpressions.StringLocalizedStandardContains: Sendable where Root: Sendable, Other: Sendable {}

  extension PredicateExpressions.StringLocalizedStandardContains: StringMethodExpression, LowerableExpression {
    static var function: StringFunction { .localizedStandardContains }
    static var kind: ValueKind { .bool }

    func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
      try lower(&lowering, at: offset, root: \Self.root, other: \Self.other)
    }
  }
#endif
