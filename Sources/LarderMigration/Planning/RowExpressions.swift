import LarderData
import LarderSQLite

/// Where the columns of a new row come from: expressions over a former row `f`, and the values that these name.
struct RowExpressions {
  /// ?1 and ?2 are the row identifiers from and up to which rows are carried over.
  static let firstValue = 3

  private(set) var columns: [(name: String, expression: String)] = []
  private(set) var values: [_StoredValue] = []

  mutating func set(_ column: String, to expression: String) { columns.append((column, expression)) }

  /// An expression for a value.
  mutating func value(_ value: _StoredValue) -> String {
    if value == .null { return "NULL" }
    values.append(value)
    return "?\(values.count - 1 + RowExpressions.firstValue)"
  }
}
