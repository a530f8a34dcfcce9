import Foundation

extension PredicateExpressions.Conjunction: LowerableExpression {
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    let left = try lowering.lower(lhs, at: Lowering.offset(offset, of: \Self.lhs))
    let right = try lowering.lower(rhs, at: Lowering.offset(offset, of: \Self.rhs))
    return .all([left, right])
  }
}

extension PredicateExpressions.Disjunction: LowerableExpression {
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    let left = try lowering.lower(lhs, at: Lowering.offset(offset, of: \Self.lhs))
    let right = try lowering.lower(rhs, at: Lowering.offset(offset, of: \Self.rhs))
    return .any([left, right])
  }
}

extension PredicateExpressions.Negation: LowerableExpression {
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    .negated(try lowering.lower(wrapped, at: Lowering.offset(offset, of: \Self.wrapped)))
  }
}
