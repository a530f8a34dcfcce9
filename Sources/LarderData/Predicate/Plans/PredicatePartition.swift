/// A predicate divided into a part for the database and a part for Swift.
struct PredicatePartition {
  /// The part for the database; true if there is none.
  let sql: Term
  /// The part that Swift evaluates for each row from the database; nil if there is none.
  let residual: Term?
  /// Both parts, in this order, which is also used for pending objects.
  let ordered: Term

  /// - Parameter isSQL: Whether the database evaluates a part.
  init(_ term: Term, isSQL: (Term) -> Bool = { $0.isSQL }) {
    var (first, rest): ([Term], [Term]) = ([], [])
    for part in term.conjuncts {
      // A part that may fail is not evaluated before the parts that precede it.
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
  /// The parameter with which an equality compares the row ID.
  var rowIDParameter: Int? {
    guard case .equal(let left, let right) = operation else { return nil }
    if case .rowIdentifier = left.operation, case .parameter(let parameter) = right.operation { return parameter }
    return nil
  }

  /// The columns that the evaluation reads, by their indexes in the layout.
  var columnsRead: Set<Int> {
    switch operation {
    case .column(let index): [index]
    case .json(let column, let reader): reader.columns.reduce(into: [column]) { $0.insert($1) }
    case .composite(let composite):
      Set(composite.reader.columns).union(composite.presenceCondition?.columnsRead ?? [])
    default: children.reduce(into: []) { $0.formUnion($1.columnsRead) }
    }
  }

  /// Whether the evaluation accesses related objects.
  var followsRelations: Bool {
    switch operation {
    case .exists, .count, .collection: true
    // Only an evaluation in Swift references the object itself.
    case .object: true
    case .column(let place): ColumnReference.source(place) > 0
    case .json(let column, _): ColumnReference.source(column) > 0
    case .composite(let composite): ColumnReference.source(composite.firstColumn) > 0
    default: children.contains { $0.followsRelations }
    }
  }
}
