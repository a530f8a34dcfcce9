import Foundation

extension PredicateExpressions.NilLiteral: LowerableExpression {
  static var isConstant: Bool { true }

  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    Term(.null, ValueKind.of(Wrapped.self) ?? .structure, isOptional: true)
  }
}
