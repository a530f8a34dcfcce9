import LarderSQLite
import LarderSupport

/// A reader of a row's attributes with `.preserveValueOnDeletion`, used before the row is deleted.
///
/// The history keeps a limited size of values per save. A value that exceeds the remaining size is not even read: its size must
/// not prevent the deletion of the row.
final class TombstoneReader {
  private let budget: TombstoneBudget
  private let statement: Statement
  /// The properties whose columns are in the row itself.
  private let properties: [[Column]]
  private let externals: [(property: String, value: Statement)]
  /// Whether there are values of variable length, so that the remaining size is bound to the statement.
  private let bindsBudget: Bool

  private struct Column {
    let name: String
    /// The index of the value in the statement's result.
    let valueIndex: Int32
    /// The index of the value's length, or `nil` for a number, which has none.
    let lengthIndex: Int32?
  }

  /// Creates a reader, or returns `nil` if the model has no such attribute.
  init?(
    _ layout: _ModelLayout, _ statements: TableStatements, _ budget: TombstoneBudget, connection: Connection
  ) throws {
    self.budget = budget
    let preserved = layout.properties.filter { $0.attribute?.isPreservedOnDeletion ?? false }
    if preserved.isEmpty { return nil }
    var expressions: [String] = []
    var properties: [[Column]] = []
    var isBound = false
    for property in preserved where !property.columns.isEmpty {
      var columns: [Column] = []
      for column in layout.columns[property.columns] {
        let name = StoreFormat.quoted(column.name)
        let place = Int32(expressions.count)
        if let length = TombstoneReader.length(of: name, column.type) {
          expressions += [TombstoneReader.value(name, ofLength: length), length]
          isBound = true
          columns.append(Column(name: column.name, valueIndex: place, lengthIndex: place + 1))
        } else {
          expressions.append(name)
          columns.append(Column(name: column.name, valueIndex: place, lengthIndex: nil))
        }
      }
      properties.append(columns)
    }
    self.properties = properties
    self.bindsBudget = isBound
    let names = expressions.isEmpty ? "1" : expressions.joined(separator: ", ")
    statement = try connection.statement(
      for: "SELECT \(names) FROM \(statements.table) WHERE \(StoreFormat.identifierColumn) = ?1")
    externals = try preserved.compactMap(\.placement.external).map { table -> (property: String, value: Statement) in
      let name = ExternalTable.valueColumn
      let length = TombstoneReader.length(of: name, table.type) ?? "8"
      let sql =
        "SELECT \(TombstoneReader.value(name, ofLength: length)), \(length) FROM \(StoreFormat.quoted(table.name)) "
        + "WHERE \(ExternalTable.rowColumn) = ?1"
      return (table.property, try connection.statement(for: sql))
    }
  }

  deinit {
    statement.checkIn()
    for (_, value) in externals { value.checkIn() }
  }

  /// Returns the SQL expression of a value's size in bytes; of a blob without reading it. Some SQLite versions lack `octet_length`.
  private static func length(of column: String, _ type: _ColumnType) -> String? {
    switch type {
    case .integer, .real: nil
    case .text: "length(CAST(\(column) AS BLOB))"
    case .blob: "length(\(column))"
    }
  }

  /// Returns the SQL expression of a value, which is NULL if the value exceeds the remaining size.
  private static func value(_ column: String, ofLength length: String) -> String {
    "CASE WHEN \(length) > ?2 THEN NULL ELSE \(column) END"
  }

  /// 64 MiB of values. More are not kept, since all of them are in memory until the save is complete, and are then a single value
  /// in the history. The tests set a lower limit.
  @TaskLocal static var maximumBytes = 64 * 1_048_576

  /// Returns the tombstone of a row, or `nil` if the row does not exist.
  func read(_ number: Int64) throws -> ChangeSet.Tombstone? {
    statement.bind(1, number)
    if bindsBudget { statement.bind(2, Int64(budget.remaining)) }
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    var tombstone = ChangeSet.Tombstone(row: number, values: [])
    // A property may have several columns, and is kept as a whole or not at all.
    for columns in properties where budget.reserve(columns.reduce(0) { $0 + size(of: $1) }) {
      for column in columns {
        tombstone.values.append((column.name, _StoredValue(column: column.valueIndex, of: statement.handle)))
      }
    }
    for (property, value) in externals {
      value.bind(1, number)
      value.bind(2, Int64(budget.remaining))
      defer { value.reset() }
      let isThere = try value.step()
      guard budget.reserve(isThere ? Int(value.int64(1)) : TombstoneReader.numberSize) else { continue }
      tombstone.values.append((property, isThere ? _StoredValue(column: 0, of: value.handle) : .null))
    }
    return tombstone
  }

  /// The size of a number or of `nil`.
  private static let numberSize = 8

  private func size(of column: Column) -> Int {
    guard let length = column.lengthIndex, !statement.isNull(length) else { return TombstoneReader.numberSize }
    return Int(statement.int64(length))
  }
}

/// The remaining size of preserved values in one save, for all of its entities.
final class TombstoneBudget {
  private(set) var remaining = TombstoneReader.maximumBytes
  private var isExhausted = false

  /// Reserves the specified number of bytes, if they are left.
  ///
  /// - Returns: Whether the bytes were reserved.
  func reserve(_ size: Int) -> Bool {
    if size <= remaining {
      remaining -= size
      return true
    }
    if !isExhausted {
      isExhausted = true
      Log.warning(
        "The history leaves out values of what is deleted in this save: all of them would be more than 64 MiB. The rows "
          + "are deleted.")
    }
    return false
  }
}
