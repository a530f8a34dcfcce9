import LarderSQLite

/// What a query found: which rows, in which order, and as which versions of them.
struct QueryResultSnapshot: Equatable, Sendable {
  private(set) var rows: [Int64] = []
  private(set) var versions: [Int64] = []

  mutating func append(_ row: Int64, version: Int64) {
    rows.append(row)
    versions.append(version)
  }

  /// Whether the same rows are in the same order.
  func hasSameRows(as other: QueryResultSnapshot) -> Bool { rows == other.rows }
}

extension PreparedFetch {
  /// The rows in the store that match, without making objects of them.
  func resultSnapshot() throws -> QueryResultSnapshot {
    try run(.versions, limit: request.limit, offset: request.offset) { statement in
      var answer = QueryResultSnapshot()
      while try statement.step() { answer.append(statement.int64(0), version: statement.int64(1)) }
      return answer
    }
  }
}
