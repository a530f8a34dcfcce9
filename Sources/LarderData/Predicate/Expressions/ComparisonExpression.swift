import Foundation

extension PredicateExpressions.Comparison: LowerableExpression {
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    lowering.require(byteOf: op, at: Lowering.offset(offset, of: \Self.op))
    let left = try lowering.lower(lhs, at: Lowering.offset(offset, of: \Self.lhs))
    let right = try lowering.lower(rhs, at: Lowering.offset(offset, of: \Self.rhs))
    let order: ComparisonOrder =
      switch op {
      case .lessThan: .less
      case .lessThanOrEqual: .lessOrEqual
      case .greaterThan: .greater
      case .greaterThanOrEqual: .greaterOrEqual
      @unknown default: throw Unsupported.because("The operator \(op) isn't supported in a predicate.")
      }
    return try Lowering.comparison(order, left, right, LHS.Output.self)
  }
}

extension Lowering {
  static func comparison(
    _ order: ComparisonOrder, _ left: Term, _ right: Term, _ type: any Any.Type
  ) throws -> Term {
    guard left.kind.isOrdered, right.kind.isOrdered else {
      throw Unsupported.because(
        "< on \(type) isn't supported in a predicate: the store's order needn't be that of the type. Compare a raw "
          + "value, or a member.")
    }
    return .condition(.compare(order, left, right))
  }
}
