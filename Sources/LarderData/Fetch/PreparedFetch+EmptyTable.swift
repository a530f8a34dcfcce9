import LarderSQLite

// Look-ups in a table without rows. Whoever takes over a remote list for the first time asks for each of its keys, and
// saves at the end.

/// Whether a table has rows, in the snapshot that a context holds.
struct TableEmptiness {
  /// 8: whoever looks up one thing or two asks for nothing beside.
  static let lookupsBeforeAsking = 8

  /// The snapshot that the rest is of; 0 for none.
  fileprivate var snapshot = 0
  fileprivate var lookups = 0
  fileprivate var isEmpty = false
}

extension PreparedFetch {
  /// Whether the fetch is a look-up by a key in a table of which the snapshot that it would be answered by has no row.
  ///
  /// A longer condition is left to SQLite, which says what else may be wrong with it.
  @inline(__always)
  func isOfEmptyTable() -> Bool {
    guard let plan, plan.isExactlyEquality else { return false }
    let snapshot = state.session.heldSnapshot
    if snapshot != state.emptiness.snapshot { state.emptiness = TableEmptiness(snapshot: snapshot) }
    if snapshot == 0 || state.emptiness.isEmpty { return snapshot != 0 }
    state.emptiness.lookups += 1
    return state.emptiness.lookups == TableEmptiness.lookupsBeforeAsking && isFoundEmpty()
  }

  @inline(never)
  private func isFoundEmpty() -> Bool {
    // What fails here fails in the look-up itself, too, which says so.
    let isEmpty = try? state.session.read { try $0.int64(state.statements.selectAny) == nil }
    // Where the snapshot ended meanwhile, this is told of one that nobody asks for any more.
    state.emptiness.isEmpty = isEmpty ?? false
    return state.emptiness.isEmpty
  }
}
