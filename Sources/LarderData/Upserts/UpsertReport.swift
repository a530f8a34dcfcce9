public import Foundation

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
  /// The first of the records that were not stored, ``maximumFailures`` at most, in their order.
  public internal(set) var firstFailures: [UpsertFailure] = []
  /// The former name of ``firstFailures``.
  @available(*, deprecated, renamed: "firstFailures")
  public var failures: [UpsertFailure] { firstFailures }
  /// Why not all was removed that was to be: what the mapping threw, or a ``SaveError``, the first one.
  ///
  /// Nothing was removed where the key of a record could not be read. Where a row may not be deleted, it stayed, and what was
  /// to go with it in one transaction.
  public internal(set) var removalProblem: (any Error)?

  /// A report of nothing, or of so many: for what stands in for a store in a test.
  public init(inserted: Int = 0, updated: Int = 0, unchanged: Int = 0, removed: Int = 0, failures: [UpsertFailure] = [])
  {
    self.inserted = inserted
    self.updated = updated
    self.unchanged = unchanged
    self.removed = removed
    for failure in failures { record(failure) }
  }

  /// A hundred: enough to see what is wrong with a feed.
  public static let maximumFailures = 100

  mutating func record(_ failure: UpsertFailure) {
    failed += 1
    // Those that could not be read are known before others that could not be stored, of which some stand before them.
    let place = firstFailures.lastIndex { $0.index <= failure.index }.map { $0 + 1 } ?? 0
    if place == UpsertReport.maximumFailures { return }
    firstFailures.insert(failure, at: place)
    if firstFailures.count > UpsertReport.maximumFailures { firstFailures.removeLast() }
  }
}

/// A record that was not stored, and why.
public struct UpsertFailure: Error, Sendable {
  /// Its place among the records, from 0.
  public let index: Int
  /// The line of a stream in which it begins, counted from 1, where the record could not be read.
  public let line: Int?
  /// A ``SaveError``, what the mapping threw, or why the record could not be read.
  public let error: any Error

  public init(index: Int, line: Int? = nil, error: any Error) {
    self.index = index
    self.line = line
    self.error = error
  }
}

extension UpsertFailure: CustomStringConvertible, LocalizedError {
  public var errorDescription: String? { "Record \(index) was not stored. \(error.localizedDescription)" }
  public var description: String { "Record \(index) was not stored: \(error)" }
}
