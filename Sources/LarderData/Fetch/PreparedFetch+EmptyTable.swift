import LarderSQLite

// Look-ups in a table without rows. Whoever takes over a remote list for the first time asks for each of its keys, and
// saves at the end.

/// Whether a table has rows, in the snapshot that a context holds.
struct TableEmptiness {
  /// 8: whoever looks up one thing or two asks for nothing beside.
  static let lookupsBeforeCheck = 8

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
  func isTableKnownEmpty(_ tracker: _EntityTracker) throws -> Bool {
    let snapshot = tracker.session.currentSnapshotID
    if snapshot != tracker.emptiness.snapshot { tracker.emptiness = TableEmptiness(snapshot: snapshot) }
    guard snapshot != 0 else { return false }
    if !tracker.emptiness.isEmpty {
      tracker.emptiness.lookups += 1
      guard tracker.emptiness.lookups == TableEmptiness.lookupsBeforeCheck, try checkTableEmpty(tracker) else {
        return false
      }
    }
    try validateKey()
    return true
  }

  @inline(never)
  private func checkTableEmpty(_ tracker: _EntityTracker) throws -> Bool {
    do {
      let isEmpty = try tracker.session.read { try $0.int64(tracker.statements.selectAny) == nil }
      // Where the snapshot ended meanwhile, this is told of one that nobody asks for any more.
      tracker.emptiness.isEmpty = isEmpty
      return isEmpty
    } catch let error as SQLiteError {
      throw makeError(error)
    }
  }

  /// Throws where the key that is looked for cannot be had, as binding it would.
  @inline(__always)
  private func validateKey() throws {
    // Where objects are pending, it has been looked for among them.
    if !request.includesPending || !tracker.hasInserts { _ = try insertedCandidates(tracker) }
  }
}
