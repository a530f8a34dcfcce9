/// A predicate taken apart: what the database is asked, and what is left for Swift.
struct PredicatePartition {
  /// What the database is asked; true where that is nothing.
  let sql: Term
  /// What is asked of each row that the database gives; nil where that is nothing.
  let residual: Term?
  /// Both, in this order, in which pending objects are asked too.
  let ordered: Term

  /// - Parameter isSQL: Whether the database is asked a part.
  init(_ term: Term, isSQL: (Term) -> Bool = { $0.isSQL }) {
    var (first, rest): ([Term], [Term]) = ([], [])
    for part in term.conjuncts {
      // A part that may fail is not asked before one that stands before it.
      if isSQL(part), rest.isEmpty || !part.mayFail { first.append(part) } else { rest.append(part) }
    }
    guard !rest.isEmpty else {
      (sql, residual, ordered) = (term, nil, term)
      return
    }
    sql = .all(first)
    residual = .all(rest)
    ordered = .all(first + rest)
  }
}

extension Term {
  /// The parameter that an equality compares the row's key with.
  var rowIDParameter: Int? {
    guard case .equal(let left, let right) = operation else { return nil }
    if case .rowIdentifier = left.operation, case .parameter(let parameter) = right.operation { return parameter }
    return nil
  }

  /// The columns, by their places in the layout, that evaluating it reads.
  var columnsRead: Set<Int> {
    switch operation {
    case .column(let index): [index]
    case .json(let column, let reader): reader.columns.reduce(into: [column]) { $0.insert($1) }
    case .composite(let composite):
      Set(composite.reader.columns).union(composite.presenceCondition?.columnsRead ?? [])
    default: children.reduce(into: []) { $0.formUnion($1.columnsRead) }
    }
  }

  /// Whether evaluating it leads to other objects.
  var followsRelations: Bool {
    switch operation {
    case .exists, .count, .collection: true
    // Only what is asked of the object in Swift names the object itself.
    case .object: true
    case .column(let place): ColumnReference.source(place) > 0
    case .json(let column, _): ColumnReference.source(column) > 0
    case .composite(let composite): ColumnReference.source(composite.firstColumn) > 0
    default: children.contains { $0.followsRelations }
    }
  }
}
