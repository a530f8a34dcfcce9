internal import LarderData

/// Records that are passed to the writer together.
struct RecordBatch<Record: Sendable>: Sendable {
  var records: [Record] = []
  /// Elements that are not valid records, by their positions in the stream.
  var failures: [UpsertFailure] = []
  /// The length of all elements in the stream.
  var byteCount = 0

  /// 16,384: rows that one transaction writes share the pages that they change.
  static var maximumCount: Int { 16_384 }
  /// 4 MiB.
  static var maximumSize: Int { 4 << 20 }

  /// 32 to 256: the number of records that is worth passing to an idle writer. For a short document, more is written
  /// during reading if the first batch is passed on early and the last one is small. For a long document the difference
  /// is negligible, and each batch has a cost.
  private static var minimumCounts: ClosedRange<Int> { 32...256 }
  /// 256 KiB.
  private static var minimumSize: Int { 256 << 10 }

  /// Returns whether the batch is worth passing to an idle writer.
  ///
  /// - Parameter place: The number of elements read so far.
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
