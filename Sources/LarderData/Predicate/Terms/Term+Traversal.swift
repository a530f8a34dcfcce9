extension TermOperation {
  /// The subterms.
  var children: [Term] {
    switch self {
    case .object, .column, .parameter, .null, .constant, .emptyText, .rowIdentifier, .json, .captured, .local: []
    case .composite(let composite): composite.presenceCondition.map { [$0] } ?? []
    case .identifier(_, let key): [key]
    case .collection(let collection), .exists(let collection), .count(let collection):
      collection.filter.map { [$0] } ?? []
    case .and(let terms), .or(let terms): terms
    case .equal(let a, let b), .compare(_, let a, let b), .arithmetic(_, let a, let b), .coalesce(let a, let b),
      .whenPresent(let a, let b), .containsText(let a, let b), .startsWith(let a, let b),
      .stringFunction(_, let a, let b):
      [a, b]
    case .not(let a), .negate(let a), .isPresent(let a), .unwrap(let a), .byteCount(let a), .characterCount(let a),
      .isMember(let a, _):
      [a]
    case .conditional(let a, let b, let c): [a, b, c]
    case .range(let lower, let upper, _): [lower, upper].compactMap { $0 }
    case .call(let call): call.arguments
    case .iterate(let iteration): [iteration.sequence, iteration.test]
    }
  }

  /// Returns the same operation with changed subterms.
  func mapped(_ change: (Term) -> Term) -> TermOperation {
    switch self {
    case .object, .column, .parameter, .null, .constant, .emptyText, .rowIdentifier, .json, .captured, .local:
      return self
    case .composite(var composite):
      composite.presenceCondition = composite.presenceCondition.map(change)
      return .composite(composite)
    case .identifier(let identity, let key): return .identifier(identity, change(key))
    case .collection(let collection): return .collection(collection.mapped(change))
    case .exists(let collection): return .exists(collection.mapped(change))
    case .count(let collection): return .count(collection.mapped(change))
    case .and(let terms): return .and(terms.map(change))
    case .or(let terms): return .or(terms.map(change))
    case .equal(let a, let b): return .equal(change(a), change(b))
    case .compare(let order, let a, let b): return .compare(order, change(a), change(b))
    case .arithmetic(let operation, let a, let b): return .arithmetic(operation, change(a), change(b))
    case .coalesce(let a, let b): return .coalesce(change(a), change(b))
    case .whenPresent(let a, let b): return .whenPresent(change(a), change(b))
    case .containsText(let a, let b): return .containsText(change(a), change(b))
    case .startsWith(let a, let b): return .startsWith(change(a), change(b))
    case .stringFunction(let function, let a, let b): return .stringFunction(function, change(a), change(b))
    case .not(let a): return .not(change(a))
    case .negate(let a): return .negate(change(a))
    case .isPresent(let a): return .isPresent(change(a))
    case .unwrap(let a): return .unwrap(change(a))
    case .byteCount(let a): return .byteCount(change(a))
    case .characterCount(let a): return .characterCount(change(a))
    case .isMember(let a, let list): return .isMember(change(a), list: list)
    case .conditional(let a, let b, let c): return .conditional(change(a), change(b), change(c))
    case .range(let lower, let upper, let includesUpper):
      return .range(lower: lower.map(change), upper: upper.map(change), includesUpper: includesUpper)
    case .call(let call):
      return .call(SwiftCall(arguments: call.arguments.map(change), mayFail: call.mayFail, body: call.body))
    case .iterate(let iteration):
      return .iterate(
        SwiftIteration(
          sequence: change(iteration.sequence), local: iteration.local, test: change(iteration.test),
          body: iteration.body))
    }
  }
}

extension CollectionTerm {
  fileprivate func mapped(_ change: (Term) -> Term) -> CollectionTerm {
    CollectionTerm(source: source, filter: filter.map(change))
  }
}

extension Term {
  var children: [Term] { operation.children }

  func mapped(_ change: (Term) -> Term) -> Term {
    Term(operation.mapped(change), kind, isOptional: isOptional)
  }

  /// The terms joined by `&&` at the top.
  var conjuncts: [Term] {
    if case .and(let terms) = operation { terms } else { [self] }
  }

  /// The terms joined by `||` at the top.
  var disjuncts: [Term] {
    if case .or(let terms) = operation { terms } else { [self] }
  }
}
