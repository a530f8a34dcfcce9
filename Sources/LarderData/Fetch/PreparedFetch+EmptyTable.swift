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
  /// Whether the snapshot that a look-up by a key would be answered by has no row of the table.
  ///
  /// Asked of a look-up alone (``PredicatePlan/isExactlyEquality``): a longer condition is left to SQLite, which says what
  /// else may be wrong with it.
  func isOfEmptyTable(_ state: EntityState) throws -> Bool {
    let snapshot = state.session.heldSnapshot
    if snapshot != state.emptiness.snapshot { state.emptiness = TableEmptiness(snapshot: snapshot) }
    guard snapshot != 0 else { return false }
    if !state.emptiness.isEmpty {
      state.emptiness.lookups += 1
      guard state.emptiness.lookups == TableEmptiness.lookupsBeforeAsking, try isFoundEmpty(state) else { return false }
    }
    try requireKey()
    return true
  }

  @inline(never)
  private func isFoundEmpty(_ state: EntityState) throws -> Bool {
    do {
      let isEmpty = try state.session.read { try $0.int64(state.statements.selectAny) == nil }
      // Where the snapshot ended meanwhile, this is told of one that nobody asks for any more.
      state.emptiness.isEmpty = isEmpty
      return isEmpty
    } catch let error as SQLiteError {
      throw failure(error)
    }
  }

  /// Throws where the key that is looked for cannot be had, as binding it would.
  @inline(__always)
  private func requireKey() throws {
    // Where objects are pending, it has been looked for among them.
    if !request.includesPending || !state.hasInserts { _ = try pendingCandidates(state) }
  }
}
