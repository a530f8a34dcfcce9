import LarderData
import LarderSQLite

/// The sources of the columns of a new row: expressions over a former row `f`, and the values bound to them.
struct RowExpressions {
  /// The first free parameter: ?1 and ?2 are the first and last row ID of the chunk.
  static let firstValue = 3

  private(set) var columns: [(name: String, expression: String)] = []
  private(set) var values: [_StoredValue] = []

  mutating func set(_ column: String, to expression: String) { columns.append((column, expression)) }

  /// Returns an expression for a value.
  mutating func value(_ value: _StoredValue) -> String {
    if value == .null { return "NULL" }
    values.append(value)
    return "?\(values.count - 1 + RowExpressions.firstValue)"
  }
}
