import LarderData
import LarderSQLite

/// A condition that no former row may satisfy, and the message if one does.
struct RowCheck {
  private enum Check {
    /// A query that returns one number: the count of offending rows.
    case count(String)
    /// A query of values, in one or more columns, each of which must be readable as a type.
    case values(String, isReadable: ([_StoredValue]) -> Bool)
  }

  private let query: Check
  private let sentence: (Int64) -> String
  /// Whether offending rows are an obstacle regardless of the declaration, or with the declaration already checked.
  let isDefinite: Bool

  /// - Parameters:
  ///   - count: A query that returns one number.
  ///   - sentence: Returns the message for that number.
  init(count: String, isDefinite isCertain: Bool = true, sentence: @escaping (Int64) -> String) {
    query = .count(count)
    self.isDefinite = isCertain
    self.sentence = sentence
  }

  /// Creates a check that reads each distinct value once.
  init(
    values: String, isReadable: @escaping ([_StoredValue]) -> Bool, sentence: @escaping (Int64) -> String
  ) {
    query = .values(values, isReadable: isReadable)
    isDefinite = true
    self.sentence = sentence
  }

  /// Returns the problem, or `nil` if there is none.
  func problem(on connection: Connection) throws -> String? {
    var count: Int64 = 0
    switch query {
    case .count(let sql): count = try connection.int64(sql) ?? 0
    case .values(let sql, let isReadable):
      try connection.withStatement(for: sql) { statement in
        while try statement.step() {
          let found = (0..<statement.columnCount).map { _StoredValue(column: $0, of: statement.handle) }
          if !isReadable(found) { count += 1 }
        }
      }
    }
    return count > 0 ? sentence(count) : nil
  }
}
