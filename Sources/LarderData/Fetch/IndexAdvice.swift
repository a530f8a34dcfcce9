/// A suggestion for an index that would serve a fetch.
struct IndexAdvice: CustomStringConvertible {
  /// The model to add the index to.
  let layout: _ModelLayout
  private let columns: [Int]

  /// Suggests the columns that the fetch compares for equality, then the columns of its order, or else of a range.
  ///
  /// - Parameter isScan: Whether the fetch scans all rows. Then an index of a related model may help, if no index of the
  ///   fetched model does.
  /// - Returns: nil where no index helps, or where one exists already.
  init?(_ layout: _ModelLayout, _ plan: PredicatePlan?, _ sort: SortPlan?, isScan: Bool) {
    let related = isScan ? plan.flatMap { IndexAdvice(related: $0) } : nil
    guard let advice = IndexAdvice(model: layout, plan, sort) ?? related else { return nil }
    self = advice
  }

  private init?(model layout: _ModelLayout, _ plan: PredicatePlan?, _ sort: SortPlan?) {
    let conjuncts = plan?.term.conjuncts ?? []
    self.init(layout, conjuncts, of: 0, order: sort?.indexableColumns ?? [])
  }

  /// Suggests an index of the first related model that can use one: SQLite then begins with the related rows.
  private init?(related plan: PredicatePlan) {
    let related = plan.related
    var conjuncts = plan.term.conjuncts.flatMap(IndexAdvice.guardedConditions)
    var root = 0
    if conjuncts.count == 1, case .exists(let collection) = conjuncts[0].operation,
      related[collection.source - 1].parent == 0
    {
      conjuncts = collection.filter?.conjuncts.flatMap(IndexAdvice.guardedConditions) ?? []
      root = collection.source
    }
    let asked = conjuncts.compactMap { IndexAdvice.columnReference($0, IndexAdvice.equal) }
    let places = asked + conjuncts.compactMap { IndexAdvice.columnReference($0, IndexAdvice.ranged) }
    for place in places {
      let source = ColumnReference.source(place)
      guard source > 0, IndexAdvice.isReachable(from: source, to: root, related) else { continue }
      let layout = related[source - 1].layout
      if let advice = IndexAdvice(layout, conjuncts, of: source, order: []) {
        self = advice
        return
      }
    }
    return nil
  }

  private init?(_ layout: _ModelLayout, _ conjuncts: [Term], of source: Int, order: [Int]) {
    func columns(_ find: (Term) -> Term?) -> [Int] {
      conjuncts.compactMap { IndexAdvice.columnReference($0, find) }.filter { ColumnReference.source($0) == source }
        .map(ColumnReference.columnIndex)
    }
    let ranged = Array(columns(IndexAdvice.ranged).prefix(1))
    let wanted = IndexAdvice.removingDuplicates(columns(IndexAdvice.equal) + (order.isEmpty ? ranged : order))
    guard !wanted.isEmpty, !layout.ancestry.contains(where: { $0.hasIndex(beginningWith: wanted) }) else { return nil }
    self.layout = layout
    self.columns = wanted
  }

  /// The suggestion as source code for the model.
  var description: String {
    let names = columns.map { "\\." + IndexAdvice.name($0, layout) }
    return "#Index<\(layout.entityName)>([\(names.joined(separator: ", "))])"
  }

  /// Returns whether an index begins with a column that the predicate compares with a range.
  ///
  /// SQLite expects so many rows in a range that it scans the whole table rather than sort the rows that an index finds.
  static func hasIndexedRange(_ layout: _ModelLayout, _ plan: PredicatePlan) -> Bool {
    let first = Set((layout.indexGroups + layout.uniqueGroups).compactMap(\.first))
    return plan.term.conjuncts.contains { term in
      columnReference(term, ranged).map { ColumnReference.source($0) == 0 && first.contains($0) } ?? false
    }
  }

  /// Returns the object behind to-one relationships whose attribute the condition compares with one value, if an index
  /// begins with this attribute.
  static func objectFoundByIndex(_ term: Term, _ related: [RelatedSource]) -> Int? {
    guard case .equal = term.operation, let place = columnReference(term, equal) else { return nil }
    let source = ColumnReference.source(place)
    guard source > 0, isReachable(from: source, to: 0, related) else { return nil }
    let isFirst = related[source - 1].layout.ancestry.contains {
      $0.hasIndex(beginningWith: [ColumnReference.columnIndex(place)])
    }
    return isFirst ? source : nil
  }

  private static func removingDuplicates(_ columns: [Int]) -> [Int] {
    var seen: Set<Int> = []
    return columns.filter { seen.insert($0).inserted }
  }

  // MARK: Conditions

  /// Returns the conditions on an optional object that apply if the object exists.
  private static func guardedConditions(_ term: Term) -> [Term] {
    switch term.operation {
    case .coalesce(let value, let other):
      if case .constant(false) = other.operation { return value.conjuncts.flatMap(guardedConditions) }
    case .whenPresent(_, let value): return value.conjuncts.flatMap(guardedConditions)
    default: break
    }
    return [term]
  }

  /// Returns the column of a condition, if the condition is of the wanted form.
  private static func columnReference(_ term: Term, _ find: (Term) -> Term?) -> Int? {
    guard let found = find(term), case .column(let place) = found.operation, !ColumnReference.isRowID(place) else {
      return nil
    }
    return place
  }

  private static func equal(_ term: Term) -> Term? {
    switch term.operation {
    case .equal(let left, let right): comparedColumn(left, right) ?? comparedColumn(right, left)
    case .isMember(let value, _): value
    default: nil
    }
  }

  private static func ranged(_ term: Term) -> Term? {
    switch term.operation {
    // An index has the order of strings, in which "10" comes before "9".
    case .compare(_, let left, _) where left.kind == .decimal: nil
    case .compare(_, let left, let right): comparedColumn(left, right) ?? comparedColumn(right, left)
    case .startsWith(let text, let prefix): comparedColumn(text, prefix)
    default: nil
    }
  }

  /// Returns the first term if it is a column that is compared with a captured value.
  private static func comparedColumn(_ term: Term, _ other: Term) -> Term? {
    guard case .column(let place) = term.operation else { return nil }
    switch other.operation {
    case .parameter: return term
    // A missing object also compares as nil, and no index of its model contains it.
    case .null: return ColumnReference.source(place) == 0 ? term : nil
    default: return nil
    }
  }

  /// Returns whether the fetched rows can be found from a related object, and not only the other way around.
  private static func isReachable(from source: Int, to root: Int, _ related: [RelatedSource]) -> Bool {
    var number = source
    while number != root {
      guard number > 0, !related[number - 1].isElement else { return false }
      if case .inverse? = related[number - 1].relationship?.storage { return false }
      number = related[number - 1].parent
    }
    return true
  }

  /// Returns the name of the property, or of the member of a composite, as in a key path.
  private static func name(_ column: Int, _ layout: _ModelLayout) -> String {
    let property = layout.properties[layout.columns[column].property]
    var path = property.name
    var members = property.codec.members
    let place = column - property.columns.lowerBound
    while let member = members?.first(where: { $0.columns.contains(place) }) {
      path += "." + member.name
      members = member.members
    }
    return path
  }
}

extension _ModelLayout {
  fileprivate func hasIndex(beginningWith columns: [Int]) -> Bool {
    (indexGroups + uniqueGroups).contains { $0.starts(with: columns) }
  }
}
