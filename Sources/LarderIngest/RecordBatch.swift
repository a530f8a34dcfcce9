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

  var isFull: Bool {
    records.count >= RecordBatch.largestCount || bytes >= RecordBatch.largestSize
      || failures.count >= RecordBatch.largestCount
  }
  var isEmpty: Bool { records.isEmpty && failures.isEmpty && bytes == 0 }
}
