import Foundation

extension PredicateExpressions.Variable: LowerableExpression {
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term { try lowering.term(of: self, at: offset) }
}
