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
  mutating func equality<Value: Equatable>(_ left: Term, _ right: Term, _ type: Value.Type) throws -> Term {
    if case .null = right.operation { return .condition(.not(try presence(of: left, type))) }
    if case .null = left.operation { return .condition(.not(try presence(of: right, type))) }
    let special: Term? =
      switch (left.operation, right.operation) {
      case (.composite(let composite), .captured(let value)): equality(composite, value)
      case (.captured(let value), .composite(let composite)): equality(composite, value)
      case (.identifier(let identity, let key), .captured(let value)): equality(key, identity, value)
      case (.captured(let value), .identifier(let identity, let key)): equality(key, identity, value)
      case (.identifier(let identity, let key), .identifier(let otherIdentity, let other)):
        equality(key, identity, other, otherIdentity)
      case (.object(let source), .object(let other)): .condition(.equal(rowIDTerm(of: source), rowIDTerm(of: other)))
      default: nil
      }
    if let special { return special }
    if left.kind == .structure || right.kind == .structure {
      let equality = StoreEquality<Value>()
      return try Lowering.call(left, right, equality.areEqual)
    }
    return .condition(.equal(left, right))
  }

  /// Returns whether an optional has a value.
  mutating func presence(of term: Term, _ type: any Any.Type) throws -> Term {
    switch term.operation {
    case .null: .condition(.constant(false))
    case .composite(let composite): presence(of: composite)
    case .object(let source) where source > 0:
      term.isOptional ? .condition(.isPresent(rowIDTerm(of: source))) : .condition(.constant(true))
    // A to-many relationship is empty rather than nil, unless its owner is missing.
    case .collection(let collection):
      term.isOptional
        ? .condition(.isPresent(rowIDTerm(of: related[collection.source - 1].parent))) : .condition(.constant(true))
    case .identifier(_, let key): term.isOptional ? .condition(.isPresent(key)) : .condition(.constant(true))
    case .object, .range:
      throw UnsupportedPredicate.because(
        "Whether \(type) is nil can't be asked in a predicate. Ask for one of its members.")
    default: .condition(term.isOptional ? .isPresent(term) : .constant(true))
    }
  }

  /// Returns whether an optional composite has a value: its presence column is 1. Within an optional composite it may be
  /// NULL.
  private mutating func presence(of composite: CompositeTerm) -> Term {
    guard let index = composite.presence else { return composite.presenceCondition ?? .condition(.constant(true)) }
    let isOptional = columnLayout(index).isOptional || ColumnReference.source(index) > 0
    let flag = column(index, .bool, isOptional: isOptional)
    return isOptional ? .condition(.coalesce(flag, .condition(.constant(false)))) : flag
  }

  /// Returns whether two identifiers are of the same row. Identifiers of models in different tables are equal only if both
  /// are nil.
  private func equality(
    _ key: Term, _ identity: EntityIdentity, _ other: Term, _ otherIdentity: EntityIdentity
  ) -> Term {
    if identity.root === otherIdentity.root { return .condition(.equal(key, other)) }
    guard key.isOptional, other.isOptional else { return .condition(.constant(false)) }
    return .all([.condition(.not(.condition(.isPresent(key)))), .condition(.not(.condition(.isPresent(other))))])
  }

  /// Returns whether an object's row is that of a captured identifier.
  private mutating func equality(_ key: Term, _ identity: EntityIdentity, _ value: CapturedValue) -> Term? {
    guard let identifierResolver,
      let captured = value.rowID(IdentifierResolver(identity: identity, aliases: identifierResolver.aliases))
    else { return nil }
    return .condition(.equal(key, Term(.parameter(addParameter(captured)), key.kind, isOptional: true)))
  }

  /// Compares a composite with a captured value, member by member; nil where a member is not a scalar.
  private mutating func equality(_ composite: CompositeTerm, _ value: CapturedValue) -> Term? {
    let members: [(ParameterSource, CompositeMember, ValueKind)] = composite.members.compactMap { member in
      guard let source = value.member(member), member.columns.count == 1, let kind = ValueKind.of(member.type) else {
        return nil
      }
      return (source, member, kind)
    }
    guard members.count == composite.members.count else { return nil }
    var conditions: [Term] = []
    if composite.presence != nil || composite.presenceCondition != nil {
      let isThere = Term(.parameter(addParameter(value.presence)), .bool)
      conditions.append(.condition(.equal(presence(of: composite), isThere)))
    }
    for (source, member, kind) in members {
      let term = column(composite.firstColumn + member.columns.lowerBound, kind, isOptional: true)
      conditions.append(.condition(.equal(term, Term(.parameter(addParameter(source)), kind, isOptional: true))))
    }
    return .all(conditions)
  }
}
