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

  /// 256: what is worth being handed on to a writer who has nothing else.
  private static var smallestCount: Int { 256 }
  /// 256 KiB.
  private static var smallestSize: Int { 256 << 10 }

  /// Whether a writer who has nothing to do should be given it.
  var isEnough: Bool { records.count >= RecordBatch.smallestCount || bytes >= RecordBatch.smallestSize }

  var isFull: Bool {
    records.count >= RecordBatch.largestCount || bytes >= RecordBatch.largestSize
      || failures.count >= RecordBatch.largestCount
  }
  var isEmpty: Bool { records.isEmpty && failures.isEmpty && bytes == 0 }
}
