import Foundation

extension PredicateExpressions.Equal: LowerableExpression {
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    let left = try lowering.lower(lhs, at: Lowering.offset(offset, of: \Self.lhs))
    let right = try lowering.lower(rhs, at: Lowering.offset(offset, of: \Self.rhs))
    return try lowering.equality(left, right, LHS.Output.self)
  }
}

extension PredicateExpressions.NotEqual: LowerableExpression {
  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    let left = try lowering.lower(lhs, at: Lowering.offset(offset, of: \Self.lhs))
    let right = try lowering.lower(rhs, at: Lowering.offset(offset, of: \Self.rhs))
    let equality = try lowering.equality(left, right, LHS.Output.self)
    if case .not(let other) = equality.operation { return other }
    return .condition(.not(equality))
  }
}

extension Lowering {
  mutating func equality(_ left: Term, _ right: Term, _ type: any Any.Type) throws -> Term {
    if case .null = right.operation { return .condition(.not(try presence(of: left, type))) }
    if case .null = left.operation { return .condition(.not(try presence(of: right, type))) }
    switch (left.operation, right.operation) {
    case (.composite(let composite), .captured(let value)): return try equality(composite, value, type)
    case (.captured(let value), .composite(let composite)): return try equality(composite, value, type)
    default: break
    }
    guard left.kind != .structure, left.kind != .json, right.kind != .structure, right.kind != .json else {
      throw Unsupported.because(
        "== on \(type) isn't supported in a predicate: the store keeps it in a form of its own. Give the type a raw "
          + "value, or compare its members.")
    }
    return .condition(.equal(left, right))
  }

  /// Whether an optional has a value.
  mutating func presence(of term: Term, _ type: any Any.Type) throws -> Term {
    switch term.operation {
    case .null: .condition(.constant(false))
    case .composite(let composite): presence(of: composite)
    case .object, .captured, .range:
      throw Unsupported.because("Whether \(type) is nil can't be asked in a predicate. Ask for one of its members.")
    default: .condition(term.isOptional ? .isPresent(term) : .constant(true))
    }
  }

  /// Whether an optional composite is there: its presence column says 1. Within an optional one it may be NULL.
  private mutating func presence(of composite: CompositeTerm) -> Term {
    guard let index = composite.presence else { return .condition(.constant(true)) }
    let isOptional = layout.columns[index].isOptional
    let flag = column(index, .bool, isOptional: isOptional)
    return isOptional ? .condition(.coalesce(flag, .condition(.constant(false)))) : flag
  }

  private mutating func equality(
    _ composite: CompositeTerm, _ value: CapturedValue, _ type: any Any.Type
  ) throws -> Term {
    var conditions: [Term] = []
    if composite.presence != nil {
      let isThere = Term(.parameter(add(value.presence)), .bool)
      conditions.append(.condition(.equal(presence(of: composite), isThere)))
    }
    for member in composite.members {
      guard let source = value.member(member), member.columns.count == 1, let kind = ValueKind.of(member.type) else {
        throw Unsupported.because(
          "== on \(type) isn't supported in a predicate: its member \(member.name) isn't a plain value. Compare the "
            + "members that matter.")
      }
      let term = column(composite.firstColumn + member.columns.lowerBound, kind, isOptional: true)
      conditions.append(.condition(.equal(term, Term(.parameter(add(source)), kind, isOptional: true))))
    }
    guard let first = conditions.first else { return .condition(.constant(true)) }
    return conditions.dropFirst().reduce(first) { .condition(.and($0, $1)) }
  }
}
