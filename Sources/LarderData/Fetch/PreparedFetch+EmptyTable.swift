import LarderSQLite

// Look-ups by key in a table without rows. Example: the first import of a remote list looks up each key, and saves only at
// the end.

/// Whether a table has rows, in the snapshot that a context holds.
struct TableEmptiness {
  /// 8: a caller with only one or two look-ups pays for no additional query.
  static let lookupsBeforeCheck = 8

  /// The ID of the snapshot that the other values describe; 0 for none.
  fileprivate var snapshot = 0
  fileprivate var lookups = 0
  fileprivate var isEmpty = false
}

extension PreparedFetch {
  /// Returns whether the table is known to have no row in the snapshot that a look-up by key would read.
  ///
  /// Only used for a plain look-up (``PredicatePlan/isExactlyEquality``). A longer condition is passed to SQLite, which
  /// reports any other error in it.
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
      // If the snapshot ended meanwhile, this value describes an old snapshot, and is not read again.
      tracker.emptiness.isEmpty = isEmpty
      return isEmpty
    } catch let error as SQLiteError {
      throw makeError(error)
    }
  }

  /// Throws if the value of the key cannot be loaded, the same error as binding it would throw.
  @inline(__always)
  private func validateKey() throws {
    // If objects are pending, the look-up among them has loaded the key already.
    if !request.includesPending || !tracker.hasInserts { _ = try insertedCandidates(tracker) }
  }
}
