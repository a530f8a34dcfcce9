import Foundation

extension PredicateExpressions.SequenceContains: LowerableExpression {
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    let place = Lowering.offset(offset, of: \Self.sequence)
    if let list = try lowering.capture(sequence, at: place), !(LHS.Output.self is any CapturedRange.Type),
      !(LHS.Output.self is any StringProtocol.Type)
    {
      let term = try lowering.lower(element, at: Lowering.offset(offset, of: \Self.element))
      if let member = try lowering.membership(of: term, in: list) { return member }
      let sequence = try lowering.parameter(list)
      return try Lowering.contains(sequence, term, LHS.Output.self)
    }
    let sequence = try lowering.lower(sequence, at: place)
    let element = try lowering.lower(element, at: Lowering.offset(offset, of: \Self.element))
    if case .collection(let collection) = sequence.operation, case .object(let source) = element.operation {
      let isSame = Term.condition(.equal(lowering.rowIDTerm(of: collection.source), lowering.rowIDTerm(of: source)))
      return collection.contains(isSame)
    }
    if sequence.kind == .text, element.kind == .text { return .condition(.containsText(sequence, element)) }
    if let range = lowering.range(sequence) { return try Lowering.within(range, element, RHS.Output.self) }
    return try Lowering.contains(sequence, element, LHS.Output.self)
  }
}

extension PredicateExpressions.RangeExpressionContains: LowerableExpression {
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    let term = try lowering.lower(range, at: Lowering.offset(offset, of: \Self.range))
    let element = try lowering.lower(element, at: Lowering.offset(offset, of: \Self.element))
    if let range = lowering.range(term) { return try Lowering.within(range, element, Element.Output.self) }
    return try Lowering.call(term, element) { (range: RangeExpression.Output, element: Element.Output) in
      range.contains(element)
    }
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
  /// Returns membership in a list that is bound; nil where its elements are not scalars.
  mutating func membership<Values: Sequence>(of term: Term, in list: CaptureLoader<Values>) throws -> Term? {
    if case .identifier(let identity, let keys) = term.operation, let identifierResolver,
      let coding = IdentifierResolver(identity: identity, aliases: identifierResolver.aliases).coding(
        of: Values.Element.self)
    {
      let member = Term.condition(
        .isMember(keys, list: addParameter(ParameterSource(list: list, coding, type: .integer))))
      return try orBothNil(member, keys, list, coding)
    }
    guard let coding = ScalarCoding<Values.Element>.find(), let type = ValueKind.of(Values.Element.self)?.columnType,
      term.kind.columnType == type
    else { return nil }
    let member = Term.condition(.isMember(term, list: addParameter(ParameterSource(list: list, coding, type: type))))
    return try orBothNil(member, term, list, coding)
  }

  /// Adds the case that the value and an element are both nil, since SQL finds no NULL in a list.
  private mutating func orBothNil<Values: Sequence>(
    _ member: Term, _ term: Term, _ list: CaptureLoader<Values>, _ coding: ScalarCoding<Values.Element>
  ) throws -> Term {
    guard term.isOptional, Values.Element.self is any OptionalValue.Type else { return member }
    // A value that no row can hold is not nil.
    let hasNil = list.map { $0.contains { (try? coding.stored($0)) == .null } }
    let flag = try parameter(hasNil)
    return .any([member, .all([.condition(.not(.condition(.isPresent(term)))), flag])])
  }

  /// Returns membership in a sequence that is searched in Swift.
  static func contains<Values: Sequence>(_ sequence: Term, _ element: Term, _ type: Values.Type) throws -> Term
  where Values.Element: Equatable {
    let equality = StoreEquality<Values.Element>()
    return try call(sequence, element) { (values: Values, element: Values.Element) in
      values.contains { equality.areEqual($0, element) }
    }
  }

  func range(_ term: Term) -> TermOperation? {
    if case .range = term.operation { return term.operation }
    return nil
  }

  static func within(_ range: TermOperation, _ element: Term, _ type: any Any.Type) throws -> Term {
    guard case .range(let lower, let upper, let includesUpper) = range else { return .condition(.constant(false)) }
    let from = try lower.map { try comparison(.greaterOrEqual, element, $0, type) }
    let to = try upper.map { try comparison(includesUpper ? .lessOrEqual : .less, element, $0, type) }
    switch (from, to) {
    case (let from?, let to?): return .all([from, to])
    case (let one?, nil), (nil, let one?): return one
    case (nil, nil): return .condition(.constant(true))
    }
  }
}
