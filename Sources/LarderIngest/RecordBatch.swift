internal import LarderData

/// Records that are handed on together, to be written.
struct RecordBatch<Record: Sendable>: Sendable {
  var records: [Record] = []
  /// Elements that are none, by their places in the stream.
  var failures: [UpsertFailure] = []
  /// How long all of them are in the stream.
  var byteCount = 0

  /// 16,384: rows that a transaction writes together share the pages that they fall on.
  static var maximumCount: Int { 16_384 }
  /// 4 MiB.
  static var maximumSize: Int { 4 << 20 }

  /// 32 to 256: what is worth being handed on to a writer who has nothing else. Of a short document the more is written
  /// while the rest is read the sooner the first records are handed on, and the fewer are the last; of a long one it does
  /// not show, and handing on has a price.
  private static var minimumCounts: ClosedRange<Int> { 32...256 }
  /// 256 KiB.
  private static var minimumSize: Int { 256 << 10 }

  /// Whether a writer who has nothing to do should be given it.
  ///
  /// - Parameter place: How many elements the stream has had.
  func isWorthFlushing(after place: Int) -> Bool {
    let smallest = RecordBatch.minimumCounts
    return records.count >= min(max(place / 8, smallest.lowerBound), smallest.upperBound)
      || byteCount >= RecordBatch.minimumSize
  }

  var isFull: Bool {
    records.count >= RecordBatch.maximumCount || byteCount >= RecordBatch.maximumSize
      || failures.count >= RecordBatch.maximumCount
  }
  var isEmpty: Bool { records.isEmpty && failures.isEmpty && byteCount == 0 }
}
