import Foundation

extension PredicateExpressions.ConditionalCast: LowerableExpression {
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    if let object = try lowering.castObject(input, to: Desired.self, at: Lowering.offset(offset, of: \Self.input)) {
      return object
    }
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
    if let object = try lowering.castObject(input, to: Desired.self, at: Lowering.offset(offset, of: \Self.input)) {
      return try lowering.presence(of: object, Input.Output.self)
    }
    let value = try lowering.castOperand(input, at: Lowering.offset(offset, of: \Self.input))
    if Input.Output.self == Desired.self { return .condition(.constant(true)) }
    if Input.Output.self == Desired?.self { return try lowering.presence(of: value, Input.Output.self) }
    return try Lowering.call(value) { (value: Input.Output) in value is Desired }
  }
}

extension Lowering {
  /// Returns a model cast to another class of its hierarchy; nil for any other value.
  mutating func castObject<Part: PredicateExpression, Desired>(
    _ part: Part, to type: Desired.Type, at offset: Int?
  ) throws -> Term? {
    guard let model = Desired.self as? any PersistentModel.Type else { return nil }
    let term = try lower(part, at: offset)
    guard case .object(let source) = term.operation else { return nil }
    let (from, to) = (layout(of: source), model._$layout)
    if from.inherits(from: to) { return term }
    guard to.inherits(from: from) else {
      throw UnsupportedPredicate.because(
        "A cast of \(Part.Output.self) to \(Desired.self) isn't supported in a predicate: no object is both. Name a class "
          + "that inherits from \(Part.Output.self).")
    }
    return castObject(source, as: to)
  }

  /// Returns the operand of a cast: any value, but not the object itself.
  mutating func castOperand<Part: PredicateExpression>(_ part: Part, at offset: Int?) throws -> Term {
    let term = try lower(part, at: offset)
    if case .object = term.operation {
      throw UnsupportedPredicate.because(
        "A cast of \(Part.Output.self) itself isn't supported in a predicate here. Use as? with a class that inherits "
          + "from it, and optional chaining; or fetch the type that is wanted.")
    }
    return term
  }
}
