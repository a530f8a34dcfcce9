import LarderSupport

/// A necessary condition for a match that a hash can test: one of some values of one of some properties, or one of some rows.
///
/// A fetch looks up the pending objects that may match in a hash, and does not evaluate each pending object.
struct PendingLookup {
  enum Key: Hashable {
    /// A column of the model's own, by its index in ``_ModelLayout/columns``.
    case column(Int)
    case row
  }

  enum Operand {
    case value(_StoredValue)
    case parameter(Int)
    case list(Int)
  }

  let alternatives: [(key: Key, wanted: Operand)]

  /// Creates the look-up that is necessary for a term; nil where the term has none.
  init?(_ term: Term, _ layout: _ModelLayout) {
    guard let found = PendingLookup.find(term, layout), found.count <= PendingLookup.maximumAlternatives else {
      return nil
    }
    alternatives = found
  }

  /// 100: with more, each needs an index of its own, or at least a look-up.
  private static var maximumAlternatives: Int { 100 }

  private static func find(_ term: Term, _ layout: _ModelLayout) -> [(key: Key, wanted: Operand)]? {
    switch term.operation {
    case .equal(let left, let right):
      if let key = key(left, layout), let wanted = operand(right) { return [(key, wanted)] }
      if let key = key(right, layout), let wanted = operand(left) { return [(key, wanted)] }
      return nil
    case .isMember(let value, let list): return key(value, layout).map { [($0, .list(list))] }
    case .column where term.kind == .bool: return key(term, layout).map { [($0, .value(.integer(1)))] }
    case .not(let inner):
      switch inner.operation {
      case .column where inner.kind == .bool && !inner.isOptional:
        return key(inner, layout).map { [($0, .value(.integer(0)))] }
      case .isPresent(let value): return key(value, layout).map { [($0, .value(.null))] }
      default: return nil
      }
    case .coalesce(let value, let other):
      if case .constant(false) = other.operation { return find(value, layout) }
      return nil
    case .whenPresent(_, let value): return find(value, layout)
    case .or(let terms):
      var all: [(key: Key, wanted: Operand)] = []
      for term in terms {
        guard all.count <= maximumAlternatives, let found = find(term, layout) else { return nil }
        all += found
      }
      return all
    case .and(let terms):
      // The condition with the fewest look-ups.
      return terms.lazy.prefix(maximumAlternatives).compactMap { find($0, layout) }.min { $0.count < $1.count }
    default: return nil
    }
  }

  private static func key(_ term: Term, _ layout: _ModelLayout) -> Key? {
    switch term.operation {
    case .rowIdentifier: return .row
    case .column(let place):
      guard ColumnReference.source(place) == 0, !ColumnReference.isRowID(place) else { return nil }
      return layout.properties[layout.columns[place].property].columns.count == 1 ? .column(place) : nil
    default: return nil
    }
  }

  private static func operand(_ term: Term) -> Operand? {
    switch term.operation {
    case .parameter(let place): .parameter(place)
    case .constant(let value): .value(.integer(value ? 1 : 0))
    case .emptyText: .value(.text(""))
    case .null: .value(.null)
    default: nil
    }
  }
}

/// The values that a fetch looks up.
typealias LookupValues = [PendingLookup.Key: Set<_StoredValue>]
