internal import LarderData

/// Records that are handed on together, to be written.
struct RecordBatch<Record: Sendable>: Sendable {
  var records: [Record] = []
  /// Elements that are none, by their places in the stream.
  var failures: [UpsertFailure] = []
  /// How long all of them are in the stream.
  var bytes = 0

  /// 16,384: rows that a transaction writes together share the pages that they fall on.
  static var largestCount: Int { 16_384 }
  /// 4 MiB.
  static var largestSize: Int { 4 << 20 }

  /// 32 to 256: what is worth being handed on to a writer who has nothing else. Of a short document the more is written
  /// while the rest is read the sooner the first records are handed on, and the fewer are the last; of a long one it does
  /// not show, and handing on has a price.
  private static var smallestCounts: ClosedRange<Int> { 32...256 }
  /// 256 KiB.
  private static var smallestSize: Int { 256 << 10 }

  /// Whether a writer who has nothing to do should be given it.
  ///
  /// - Parameter place: How many elements the stream has had.
  func isEnough(after place: Int) -> Bool {
    let smallest = RecordBatch.smallestCounts
    return records.count >= min(max(place / 8, smallest.lowerBound), smallest.upperBound)
      || bytes >= RecordBatch.smallestSize
  }

  var isFull: Bool {
    records.count >= RecordBatch.largestCount || bytes >= RecordBatch.largestSize
      || failures.count >= RecordBatch.largestCount
  }
  var isEmpty: Bool { records.isEmpty && failures.isEmpty && bytes == 0 }
}
