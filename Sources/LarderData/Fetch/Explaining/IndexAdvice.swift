/// The index that would serve a fetch: first what it asks to be equal, then its order, or else what it asks to lie in a
/// range.
enum IndexAdvice {
  /// As it is to be written in the model; nil where no index helps, or where there is one already.
  static func suggestion(_ layout: ModelLayout, _ plan: PredicatePlan?, _ sort: SortPlan?) -> String? {
    let conjuncts = plan?.term.conjuncts ?? []
    var columns = unique(conjuncts.compactMap(equal))
    let order = sort?.indexableColumns ?? []
    columns = unique(columns + (order.isEmpty ? Array(conjuncts.compactMap(ranged).prefix(1)) : order))
    guard !columns.isEmpty, !(layout.indexGroups + layout.uniqueGroups).contains(where: { $0.starts(with: columns) })
    else { return nil }
    let names = columns.map { "\\." + name($0, layout) }
    return "#Index<\(layout.entityName)>([\(names.joined(separator: ", "))])"
  }

  /// Whether an index begins with a column that a condition asks to lie in a range.
  ///
  /// SQLite expects so many rows in a range that it reads the whole table rather than sort what an index finds.
  static func hasIndexedRange(_ layout: ModelLayout, _ plan: PredicatePlan) -> Bool {
    let first = Set((layout.indexGroups + layout.uniqueGroups).compactMap(\.first))
    return plan.term.conjuncts.contains { ranged($0).map(first.contains) ?? false }
  }

  private static func unique(_ columns: [Int]) -> [Int] {
    var seen: Set<Int> = []
    return columns.filter { seen.insert($0).inserted }
  }

  private static func equal(_ term: Term) -> Int? {
    switch term.operation {
    case .equal(let left, let right): column(left, right) ?? column(right, left)
    case .isMember(let value, _): column(value)
    default: nil
    }
  }

  private static func ranged(_ term: Term) -> Int? {
    switch term.operation {
    // An index has the order of texts, in which "10" comes before "9".
    case .compare(_, let left, _) where left.kind == .decimal: nil
    case .compare(_, let left, let right): column(left, right) ?? column(right, left)
    case .startsWith(let text, let prefix): column(text, prefix)
    default: nil
    }
  }

  /// The one that is compared with something captured.
  private static func column(_ term: Term, _ other: Term) -> Int? {
    switch other.operation {
    case .parameter, .null: column(term)
    default: nil
    }
  }

  /// A column of the table itself: an index of it cannot hold those of related objects, and its key needs none.
  private static func column(_ term: Term) -> Int? {
    guard case .column(let place) = term.operation, Place.source(place) == 0, !Place.isIdentifier(place) else {
      return nil
    }
    return place
  }

  /// The property, or the member of a composite, as key paths name it.
  private static func name(_ column: Int, _ layout: ModelLayout) -> String {
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
