#if !canImport(Darwin)
  import Foundation

  /// A method of strings that Foundation's predicates support only on Apple's platforms: a string is compared with another.
  protocol StringMethodExpression: PredicateExpression {
    associatedtype Root: PredicateExpression
    associatedtype Other: PredicateExpression
    /// The function that SQL and the evaluator call.
    static var function: StringFunction { get }
    /// The kind of the function's result.
    static var kind: ValueKind { get }

    var root: Root { get }
    var other: Other { get }
  }

  extension StringMethodExpression where Root.Output: StringProtocol, Other.Output: StringProtocol {
    /// Returns the function's result for these values.
    func result(_ bindings: PredicateBindings) throws -> Int64 {
      Self.function(String(try root.evaluate(bindings)), String(try other.evaluate(bindings)))
    }
  }

  extension StringMethodExpression {
    func lower(_ lowering: inout Lowering, at offset: Int?, root: PartialKeyPath<Self>, other: PartialKeyPath<Self>)
      throws -> Term
    {
      let left = try lowering.lower(self.root, at: Lowering.offset(offset, of: root))
      let right = try lowering.lower(self.other, at: Lowering.offset(offset, of: other))
      guard left.kind == .text, right.kind == .text else { throw UnsupportedPredicate.expression(Self.self) }
      return Term(.stringFunction(Self.function, left, right), Self.kind)
    }
  }
#endif
