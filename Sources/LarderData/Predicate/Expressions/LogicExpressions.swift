import Foundation

extension PredicateExpressions.Conjunction: LowerableExpression {
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    let left = try lowering.lower(lhs, at: Lowering.offset(offset, of: \Self.lhs))
    let right = try lowering.lower(rhs, at: Lowering.offset(offset, of: \Self.rhs))
    return .condition(.and(left, right))
  }
}

extension PredicateExpressions.Disjunction: LowerableExpression {
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    let left = try lowering.lower(lhs, at: Lowering.offset(offset, of: \Self.lhs))
    let right = try lowering.lower(rhs, at: Lowering.offset(offset, of: \Self.rhs))
    return .condition(.or(left, right))
  }
}

extension PredicateExpressions.Negation: LowerableExpression {
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    .condition(.not(try lowering.lower(wrapped, at: Lowering.offset(offset, of: \Self.wrapped))))
  }
}
