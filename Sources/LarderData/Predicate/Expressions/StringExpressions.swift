import Foundation

extension PredicateExpressions.CollectionContainsCollection: LowerableExpression {
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    let text = try lowering.lower(base, at: Lowering.offset(offset, of: \Self.base))
    let other = try lowering.lower(other, at: Lowering.offset(offset, of: \Self.other))
    guard text.kind == .text, other.kind == .text else { throw Unsupported.expression(Self.self) }
    return .condition(.containsText(text, other))
  }
}

extension PredicateExpressions.SequenceStartsWith: LowerableExpression {
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    let text = try lowering.lower(base, at: Lowering.offset(offset, of: \Self.base))
    let prefix = try lowering.lower(prefix, at: Lowering.offset(offset, of: \Self.prefix))
    guard text.kind == .text, prefix.kind == .text else { throw Unsupported.expression(Self.self) }
    return .condition(.startsWith(text, prefix))
  }
}
