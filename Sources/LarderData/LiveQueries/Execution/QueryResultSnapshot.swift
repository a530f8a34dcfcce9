import LarderSQLite

/// The result of a query: the row IDs in order, and the version of each row.
struct QueryResultSnapshot: Equatable, Sendable {
  private(set) var rows: [Int64] = []
  private(set) var versions: [Int64] = []

  mutating func append(_ row: Int64, version: Int64) {
    rows.append(row)
    versions.append(version)
  }

  /// Returns whether both results have the same rows in the same order.
  func hasSameRows(as other: QueryResultSnapshot) -> Bool { rows == other.rows }
}

extension PreparedFetch {
  /// Returns the row IDs and versions of the matching rows in the store, without creating objects.
  func resultSnapshot() throws -> QueryResultSnapshot {
    try run(.versions, limit: request.limit, offset: request.offset) { statement in
      var answer = QueryResultSnapshot()
      while try statement.step() { answer.append(statement.int64(0), version: statement.int64(1)) }
      return answer
    }
  }
}
