import Foundation

extension PredicateExpressions.SequenceContains: LowerableExpression {
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    let place = Lowering.offset(offset, of: \Self.sequence)
    if let list = try lowering.capture(sequence, at: place), !(LHS.Output.self is any CapturedRange.Type),
      !(LHS.Output.self is any StringProtocol.Type)
    {
      let element = try lowering.lower(element, at: Lowering.offset(offset, of: \Self.element))
      return try lowering.membership(of: element, in: list)
    }
    let sequence = try lowering.lower(sequence, at: place)
    let element = try lowering.lower(element, at: Lowering.offset(offset, of: \Self.element))
    if sequence.kind == .text, element.kind == .text { return .condition(.containsText(sequence, element)) }
    guard let range = try lowering.range(sequence) else { throw Unsupported.expression(Self.self) }
    return try Lowering.within(range, element, RHS.Output.self)
  }
}

extension PredicateExpressions.RangeExpressionContains: LowerableExpression {
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    let term = try lowering.lower(range, at: Lowering.offset(offset, of: \Self.range))
    let element = try lowering.lower(element, at: Lowering.offset(offset, of: \Self.element))
    guard let range = try lowering.range(term) else { throw Unsupported.expression(Self.self) }
    return try Lowering.within(range, element, Element.Output.self)
  }
}

extension PredicateExpressions.Range: LowerableExpression {
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    let lower = try lowering.lower(lower, at: Lowering.offset(offset, of: \Self.lower))
    let upper = try lowering.lower(upper, at: Lowering.offset(offset, of: \Self.upper))
    return Term(.range(lower: lower, upper: upper, includesUpper: false), .structure)
  }
}

extension PredicateExpressions.ClosedRange: LowerableExpression {
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    let lower = try lowering.lower(lower, at: Lowering.offset(offset, of: \Self.lower))
    let upper = try lowering.lower(upper, at: Lowering.offset(offset, of: \Self.upper))
    return Term(.range(lower: lower, upper: upper, includesUpper: true), .structure)
  }
}

extension Lowering {
  mutating func membership<Values: Sequence>(of term: Term, in list: Load<Values>) throws -> Term {
    guard let coding = ScalarCoding<Values.Element>.find(), let type = ValueKind.of(Values.Element.self)?.columnType,
      term.kind.columnType == type
    else {
      throw Unsupported.because(
        "contains(_:) of a collection of \(Values.Element.self) isn't supported in a predicate: the store compares "
          + "plain values. Capture a collection of one of their members.")
    }
    let member = Term.condition(.isMember(term, list: add(ParameterSource(list: list, coding, type: type))))
    guard term.isOptional, Values.Element.self is any OptionalValue.Type else { return member }
    let hasNil = list.map { try $0.contains { try coding.stored($0) == .null } }
    let flag = try parameter(hasNil)
    return .condition(.or(member, .condition(.and(.condition(.not(.condition(.isPresent(term)))), flag))))
  }

  func range(_ term: Term) throws -> Operation? {
    if case .range = term.operation { return term.operation }
    return nil
  }

  static func within(_ range: Operation, _ element: Term, _ type: any Any.Type) throws -> Term {
    guard case .range(let lower, let upper, let includesUpper) = range else { return .condition(.constant(false)) }
    let from = try lower.map { try comparison(.greaterOrEqual, element, $0, type) }
    let to = try upper.map { try comparison(includesUpper ? .lessOrEqual : .less, element, $0, type) }
    switch (from, to) {
    case (let from?, let to?): return .condition(.and(from, to))
    case (let one?, nil), (nil, let one?): return one
    case (nil, nil): return .condition(.constant(true))
    }
  }
}
