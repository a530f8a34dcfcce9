import Foundation

extension PredicateExpressions.Arithmetic: LowerableExpression {
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    lowering.require(byteOf: op, at: Lowering.offset(offset, of: \Self.op))
    let left = try lowering.lower(lhs, at: Lowering.offset(offset, of: \Self.lhs))
    let right = try lowering.lower(rhs, at: Lowering.offset(offset, of: \Self.rhs))
    let operation: ArithmeticOperation =
      switch op {
      case .add: .add
      case .subtract: .subtract
      case .multiply: .multiply
      @unknown default: throw UnsupportedPredicate.because("The operator \(op) isn't supported in a predicate.")
      }
    return try Lowering.arithmetic(operation, left, right, Output.self)
  }
}

extension PredicateExpressions.IntDivision: LowerableExpression {
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    let left = try lowering.lower(lhs, at: Lowering.offset(offset, of: \Self.lhs))
    let right = try lowering.lower(rhs, at: Lowering.offset(offset, of: \Self.rhs))
    return try Lowering.arithmetic(.divide, left, right, Output.self)
  }
}

extension PredicateExpressions.IntRemainder: LowerableExpression {
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    let left = try lowering.lower(lhs, at: Lowering.offset(offset, of: \Self.lhs))
    let right = try lowering.lower(rhs, at: Lowering.offset(offset, of: \Self.rhs))
    return try Lowering.arithmetic(.remainder, left, right, Output.self)
  }
}

extension PredicateExpressions.FloatDivision: LowerableExpression {
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    let left = try lowering.lower(lhs, at: Lowering.offset(offset, of: \Self.lhs))
    let right = try lowering.lower(rhs, at: Lowering.offset(offset, of: \Self.rhs))
    return try Lowering.arithmetic(.divide, left, right, Output.self)
  }
}

extension PredicateExpressions.UnaryMinus: LowerableExpression {
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    let term = try lowering.lower(wrapped, at: Lowering.offset(offset, of: \Self.wrapped))
    if term.kind == .decimal { return try Lowering.call(term) { (value: Decimal) in -value } }
    guard term.kind.isInteger || term.kind.isReal else { throw Lowering.unsupportedArithmetic(Output.self) }
    return Term(.negate(term), term.kind)
  }
}

extension Lowering {
  static func arithmetic(
    _ operation: ArithmeticOperation, _ left: Term, _ right: Term, _ type: any Any.Type
  ) throws -> Term {
    if left.kind == .decimal, right.kind == .decimal {
      return try call(left, right, mayFail: true) { try CheckedDecimal.apply(operation, $0, $1) }
    }
    guard left.kind == right.kind, left.kind.isInteger || left.kind.isReal else { throw unsupportedArithmetic(type) }
    return Term(.arithmetic(operation, left, right), left.kind)
  }

  static func unsupportedArithmetic(_ type: any Any.Type) -> SwiftDataError {
    UnsupportedPredicate.because(
      "Arithmetic on \(type) isn't supported in a predicate. Compute before what doesn't depend on the model, and "
        + "capture it; or use an integer or Double property.")
  }
}
