#if !canImport(Darwin)
  public import Foundation

  extension PredicateExpressions {
    /// A method of strings that Foundation's predicates know on Apple's platforms only, in the one shape that all of
    /// them have: a string, and another that it is compared with.
    public struct StringMethodCall<
      Method: PredicateStringMethod, Root: PredicateExpression, Other: PredicateExpression
    >: PredicateExpression where Root.Output: StringProtocol, Other.Output: StringProtocol {
      public typealias Output = Method.Output

      public let root: Root
      public let other: Other

      public init(root: Root, other: Other) {
        self.root = root
        self.other = other
      }

      public func evaluate(_ bindings: PredicateBindings) throws -> Method.Output {
        Method.apply(String(try root.evaluate(bindings)), String(try other.evaluate(bindings)))
      }
    }
  }

  /// One of the methods of `PredicateExpressions.StringMethodCall`.
  public protocol PredicateStringMethod {
    associatedtype Output
    static func apply(_ left: String, _ right: String) -> Output
  }

  /// A method that both halves know as one function.
  protocol LowerableStringMethod: PredicateStringMethod {
    static var function: StringFunction { get }
    /// What the function's result is.
    static var kind: ValueKind { get }
  }

  extension PredicateExpressions.StringMethodCall: StandardPredicateExpression
  where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

  extension PredicateExpressions.StringMethodCall: Codable where Root: Codable, Other: Codable {}

  extension PredicateExpressions.StringMethodCall: Sendable where Root: Sendable, Other: Sendable {}

  extension PredicateExpressions.StringMethodCall: LowerableExpression {
    func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
      let left = try lowering.lower(root, at: Lowering.offset(offset, of: \Self.root))
      let right = try lowering.lower(other, at: Lowering.offset(offset, of: \Self.other))
      guard let method = Method.self as? any LowerableStringMethod.Type, left.kind == .text, right.kind == .text else {
        throw Unsupported.expression(Self.self)
      }
      return Term(.stringFunction(method.function, left, right), method.kind)
    }
  }
#endif
