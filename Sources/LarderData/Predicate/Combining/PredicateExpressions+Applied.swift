public import Foundation

extension PredicateExpressions {
  /// The body of a predicate or an expression, whose variable is bound to the value of another expression.
  ///
  /// Combining predicates at run time creates these: see `Predicate.and(_:)`. The type contains the body's type, so that all
  /// predicates that are combined in the same way share one plan, as those of one `#Predicate` do.
  public struct Applied<Body: PredicateExpression, Argument: PredicateExpression>: PredicateExpression {
    public typealias Output = Body.Output

    public let body: Body
    public let variable: Variable<Argument.Output>
    public let argument: Argument

    public init(_ body: Body, variable: Variable<Argument.Output>, argument: Argument) {
      self.body = body
      self.variable = variable
      self.argument = argument
    }

    public func evaluate(_ bindings: PredicateBindings) throws -> Body.Output {
      try body.evaluate(bindings.binding(variable, to: argument.evaluate(bindings)))
    }
  }
}

extension PredicateExpressions.Applied: Encodable where Body: Encodable, Argument: Encodable {}

extension PredicateExpressions.Applied: Decodable where Body: Decodable, Argument: Decodable {}

extension PredicateExpressions.Applied: Sendable where Body: Sendable, Argument: Sendable {}

extension PredicateExpressions.Applied: StandardPredicateExpression
where Body: StandardPredicateExpression, Argument: StandardPredicateExpression {}

extension PredicateExpressions.Applied: LowerableExpression {
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    let argument = try lowering.lower(argument, at: Lowering.offset(offset, of: \Self.argument))
    lowering.bind(variable, to: argument, at: Lowering.offset(offset, of: \Self.variable))
    return try lowering.lower(body, at: Lowering.offset(offset, of: \Self.body))
  }
}
