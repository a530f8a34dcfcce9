public import Foundation

// Larder's own API.

/// The result of an upsert.
public struct UpsertReport: Sendable {
  /// The number of inserted rows.
  public internal(set) var inserted = 0
  /// The number of existing rows that were changed.
  public internal(set) var updated = 0
  /// The number of rows that already had the record's values, and were not written.
  public internal(set) var unchanged = 0
  /// The number of rows that no record named, and that were deleted.
  public internal(set) var removed = 0
  /// The number of records that were not stored.
  public internal(set) var failed = 0
  /// The first records that were not stored, in order, up to ``maximumFailures``.
  public internal(set) var firstFailures: [UpsertFailure] = []
  /// The former name of ``firstFailures``.
  @available(*, deprecated, renamed: "firstFailures")
  public var failures: [UpsertFailure] { firstFailures }
  /// The first error that prevented a removal: an error of the mapping, or a ``SaveError``.
  ///
  /// If the key of a record could not be read, no row was removed. If a row must not be deleted, the row and the rows of the same
  /// transaction stayed.
  public internal(set) var removalProblem: (any Error)?

  /// Creates a report with the specified numbers, for test doubles of a store.
  public init(inserted: Int = 0, updated: Int = 0, unchanged: Int = 0, removed: Int = 0, failures: [UpsertFailure] = [])
  {
    self.inserted = inserted
    self.updated = updated
    self.unchanged = unchanged
    self.removed = removed
    for failure in failures { record(failure) }
  }

  /// A hundred, which is enough to see the problem of a feed.
  public static let maximumFailures = 100

  mutating func record(_ failure: UpsertFailure) {
    failed += 1
    // Failures of unreadable records are known earlier than failures of storing records with lower indexes.
    let place = firstFailures.lastIndex { $0.index <= failure.index }.map { $0 + 1 } ?? 0
    if place == UpsertReport.maximumFailures { return }
    firstFailures.insert(failure, at: place)
    if firstFailures.count > UpsertReport.maximumFailures { firstFailures.removeLast() }
  }
}

/// A record that was not stored, and the reason.
public struct UpsertFailure: Error, Sendable {
  /// The index of the record, from 0.
  public let index: Int
  /// The line of a stream, counted from 1, in which an unreadable record begins.
  public let line: Int?
  /// A ``SaveError``, an error of the mapping, or the error of reading the record.
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
