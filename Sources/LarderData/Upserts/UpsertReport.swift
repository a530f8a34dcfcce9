// Larder's own.

/// What an upsert did.
public struct UpsertReport: Sendable {
  /// New rows.
  public internal(set) var inserted = 0
  /// Rows that were there, and became others.
  public internal(set) var updated = 0
  /// Rows that held what the records say, and were not written.
  public internal(set) var unchanged = 0
  /// Rows that no record named, and that were removed for that.
  public internal(set) var removed = 0
  /// How many records were not stored.
  public internal(set) var failed = 0
  /// The first of these, ``largestList`` at most.
  public internal(set) var failures: [UpsertFailure] = []
  /// Why not all was removed that was to be: what the mapping threw, or a ``SaveError``, the first one.
  ///
  /// Nothing was removed where the key of a record could not be read. Where a row may not be deleted, it stayed, and what was
  /// to go with it in one transaction.
  public internal(set) var removalProblem: (any Error)?

  /// A hundred: enough to see what is wrong with a feed.
  public static let largestList = 100

  mutating func note(_ failure: UpsertFailure) {
    failed += 1
    if failures.count < UpsertReport.largestList { failures.append(failure) }
  }
}

/// A record that was not stored, and why.
public struct UpsertFailure: Error, Sendable {
  /// Its place among the records, from 0.
  public let index: Int
  /// A ``SaveError``, or what the mapping threw.
  public let error: any Error

  package init(index: Int, error: any Error) {
    self.index = index
    self.error = error
  }
}
