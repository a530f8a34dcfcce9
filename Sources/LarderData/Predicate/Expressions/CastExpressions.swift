import Foundation

extension PredicateExpressions.ConditionalCast: LowerableExpression {
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    var value = try lowering.castOperand(input, at: Lowering.offset(offset, of: \Self.input))
    if Input.Output.self == Desired.self || Input.Output.self == Desired?.self {
      value.isOptional = value.isOptional || Input.Output.self == Desired?.self
      return value
    }
    return try Lowering.call(value) { (value: Input.Output) in value as? Desired }
  }
}

extension PredicateExpressions.ForceCast: LowerableExpression {
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    let value = try lowering.castOperand(input, at: Lowering.offset(offset, of: \Self.input))
    if Input.Output.self == Desired.self { return value }
    return try Lowering.call(value, mayFail: true) { (value: Input.Output) in
      guard let value = value as? Desired else { throw PredicateFailure.unexpectedType }
      return value
    }
  }
}

extension PredicateExpressions.TypeCheck: LowerableExpression {
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    let value = try lowering.castOperand(input, at: Lowering.offset(offset, of: \Self.input))
    if Input.Output.self == Desired.self { return .condition(.constant(true)) }
    if Input.Output.self == Desired?.self { return try lowering.presence(of: value, Input.Output.self) }
    return try Lowering.call(value) { (value: Input.Output) in value is Desired }
  }
}

extension Lowering {
  /// What is cast: any value, but not the object itself.
  mutating func castOperand<Part: PredicateExpression>(_ part: Part, at offset: Int?) throws -> Term {
    let term = try lower(part, at: offset)
    if case .object = term.operation {
      throw Unsupported.because(
        "A cast of \(Part.Output.self) itself isn't supported in a predicate. Fetch the type that is wanted.")
    }
    return term
  }
}
