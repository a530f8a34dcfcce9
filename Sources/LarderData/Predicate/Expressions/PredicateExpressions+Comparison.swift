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
      @unknown default: throw UnsupportedPredicate.because("The operator \(op) isn't supported in a predicate.")
      }
    return try Lowering.comparison(order, left, right, LHS.Output.self)
  }
}

extension Lowering {
  static func comparison(
    _ order: ComparisonOrder, _ left: Term, _ right: Term, _ type: any Any.Type
  ) throws -> Term {
    if left.kind.isOrdered, right.kind.isOrdered { return .condition(.compare(order, left, right)) }
    // The store's order may differ from that of the type.
    guard let type = type as? any Comparable.Type else { throw UnsupportedPredicate.expression(type) }
    return try comparison(order, left, right, in: type)
  }

  private static func comparison<Value: Comparable>(
    _ order: ComparisonOrder, _ left: Term, _ right: Term, in type: Value.Type
  ) throws -> Term {
    try call(left, right) { (left: Value, right: Value) in
      switch order {
      case .less: left < right
      case .lessOrEqual: left <= right
      case .greater: left > right
      case .greaterOrEqual: left >= right
      }
    }
  }
}
