import Foundation

extension PredicateExpressions.NilCoalesce: LowerableExpression {
  static var isConstant: Bool { LarderData.isConstant(LHS.self) && LarderData.isConstant(RHS.self) }

  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    let left = try lowering.lower(lhs, at: Lowering.offset(offset, of: \Self.lhs))
    if case .collection = left.operation {
      // The to-many relationship of an existing object is empty rather than nil: the other operand is never used.
      guard left.isOptional else { return left }
      throw UnsupportedPredicate.because(
        "\(Output.self) can't be chosen by ?? in a predicate. Ask both to-manys, and join the answers.")
    }
    let right = try lowering.lower(rhs, at: Lowering.offset(offset, of: \Self.rhs))
    try Lowering.rejectObject(left, Output.self)
    try Lowering.rejectObject(right, Output.self)
    if case .null = left.operation { return right }
    guard left.isOptional else { return left }
    return Term(.coalesce(left, right), right.kind, isOptional: right.isOptional)
  }
}

extension PredicateExpressions.OptionalFlatMap: LowerableExpression {
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    let value = try lowering.lower(wrapped, at: Lowering.offset(offset, of: \Self.wrapped))
    var present = value
    present.isOptional = false
    lowering.bind(variable, to: present, at: Lowering.offset(offset, of: \Self.variable))
    let result = try lowering.lower(transform, at: Lowering.offset(offset, of: \Self.transform))
    if case .object(let source) = value.operation, source > 0, let known = lowering.optional(result, through: source) {
      return known
    }
    switch (value.operation, result.operation) {
    case (.null, _): return Term(.null, result.kind, isOptional: true)
    // A filtered to-many relationship has a value if the relationship has one.
    case (.collection(let whole), .collection(let part)) where whole.source == part.source:
      return Term(result.operation, .structure, isOptional: value.isOptional)
    // The to-many relationship of an existing object is empty rather than nil.
    case (.collection, _) where !value.isOptional: return Term(result.operation, result.kind, isOptional: true)
    case (.composite(let outer), .composite(let inner)) where inner.isWithin(outer):
      return Term(
        .composite(inner.addingPresenceCondition(try lowering.presence(of: value, LHS.Output.self))), .structure,
        isOptional: true)
    case (.composite(let composite), .column(let column))
    where composite.columns.contains(column):
      // A nil composite has NULL in all its columns.
      return Term(.column(column), result.kind, isOptional: true)
    default:
      try Lowering.rejectObject(result, RHS.Output.self)
      let test = try lowering.presence(of: value, LHS.Output.self)
      return Term(.whenPresent(test, result), result.kind, isOptional: true)
    }
  }
}

extension PredicateExpressions.ForcedUnwrap: LowerableExpression {
  static var isConstant: Bool { LarderData.isConstant(Inner.self) }

  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    let term = try lowering.lower(inner, at: Lowering.offset(offset, of: \Self.inner))
    if case .collection = term.operation, !term.isOptional { return term }
    switch term.operation {
    case .object, .collection:
      throw UnsupportedPredicate.because(
        "! on \(Inner.Output.self) isn't supported in a predicate. Use optional chaining, which is false where there is "
          + "no object.")
    default: break
    }
    try Lowering.rejectObject(term, Wrapped.self)
    guard term.isOptional else { return term }
    return Term(.unwrap(term), term.kind)
  }
}

extension PredicateExpressions.Conditional: LowerableExpression {
  static var isConstant: Bool {
    LarderData.isConstant(Test.self) && LarderData.isConstant(If.self) && LarderData.isConstant(Else.self)
  }

  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    let test = try lowering.lower(test, at: Lowering.offset(offset, of: \Self.test))
    let yes = try lowering.lower(trueBranch, at: Lowering.offset(offset, of: \Self.trueBranch))
    let no = try lowering.lower(falseBranch, at: Lowering.offset(offset, of: \Self.falseBranch))
    try Lowering.rejectObject(yes, Output.self)
    try Lowering.rejectObject(no, Output.self)
    return Term(.conditional(test, yes, no), yes.kind, isOptional: yes.isOptional || no.isOptional)
  }
}

extension Lowering {
  /// Throws for an object, a collection or a range, which an operator cannot return as a value.
  static func rejectObject(_ term: Term, _ type: any Any.Type) throws {
    switch term.operation {
    case .object, .collection, .range:
      throw UnsupportedPredicate.because(
        "\(type) as a whole can't be compared or chosen in a predicate. Use one of its members.")
    default: return
    }
  }
}
