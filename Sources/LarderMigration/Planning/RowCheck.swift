import LarderData
import LarderSQLite

/// What must not be found in the former rows, and what to say where it is.
struct RowCheck {
  private enum Check {
    /// A query of one number: how many rows are in the way.
    case count(String)
    /// A query of values, in one column or several, each of which must be one of a type.
    case values(String, isReadable: ([_StoredValue]) -> Bool)
  }

  private let query: Check
  private let sentence: (Int64) -> String
  /// Whether such rows are in the way whatever a property's declaration says, or that was looked at.
  let isDefinite: Bool

  /// - Parameters:
  ///   - count: A query of one number.
  ///   - sentence: What to say of that many.
  init(count: String, isDefinite isCertain: Bool = true, sentence: @escaping (Int64) -> String) {
    query = .count(count)
    self.isDefinite = isCertain
    self.sentence = sentence
  }

  /// Looks at each value that there is, once.
  init(
    values: String, isReadable: @escaping ([_StoredValue]) -> Bool, sentence: @escaping (Int64) -> String
  ) {
    query = .values(values, isReadable: isReadable)
    isDefinite = true
    self.sentence = sentence
  }

  /// What is in the way; nil where nothing is.
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
