import LarderSQLite
import LarderSupport

/// Reads what rows have in their attributes with `.preserveValueOnDeletion`, before they are deleted.
///
/// What the history keeps of one save has a bound, and a value that is larger than what is left of it is not even read: a
/// row must not stay because of what it has.
final class TombstoneReader {
  private let budget: TombstoneBudget
  private let statement: Statement
  /// Those that lie in the rows.
  private let properties: [[Column]]
  private let externals: [(property: String, value: Statement)]
  /// Whether there are values of any length, which the statement is told the room for.
  private let bindsBudget: Bool

  private struct Column {
    let name: String
    /// Where its value is among what the statement yields.
    let valueIndex: Int32
    /// Where its length is; nil for a number, which has none.
    let lengthIndex: Int32?
  }

  /// nil where the model has no such attribute.
  init?(_ tracker: _EntityTracker, _ room: TombstoneBudget, connection: Connection) throws {
    self.budget = room
    let layout = tracker.layout
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
      for: "SELECT \(names) FROM \(tracker.statements.table) WHERE \(StoreFormat.identifierColumn) = ?1")
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

  /// The bytes of a value, in SQL: of a blob, without reading it. `octet_length` is not in each SQLite.
  private static func length(of column: String, _ type: _ColumnType) -> String? {
    switch type {
    case .integer, .real: nil
    case .text: "length(CAST(\(column) AS BLOB))"
    case .blob: "length(\(column))"
    }
  }

  /// The value where there is room for it.
  private static func value(_ column: String, ofLength length: String) -> String {
    "CASE WHEN \(length) > ?2 THEN NULL ELSE \(column) END"
  }

  /// 64 MiB of values: more is not kept, since all of it is in memory until the save is done, and is one value of the
  /// history then. The tests set it lower.
  @TaskLocal static var maximumBytes = 64 * 1_048_576

  /// nil where there is no such row.
  func read(_ number: Int64) throws -> ChangeSet.Tombstone? {
    statement.bind(1, number)
    if bindsBudget { statement.bind(2, Int64(budget.remaining)) }
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    var tombstone = ChangeSet.Tombstone(row: number, values: [])
    // Of each property all of it, or nothing: a value may be of several columns.
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

  /// What a number takes, and nil.
  private static let numberSize = 8

  private func size(of column: Column) -> Int {
    guard let length = column.lengthIndex, !statement.isNull(length) else { return TombstoneReader.numberSize }
    return Int(statement.int64(length))
  }
}

/// What the history still keeps of what one save deletes, of all its models.
final class TombstoneBudget {
  private(set) var remaining = TombstoneReader.maximumBytes
  private var isExhausted = false

  /// Whether there is room for so many bytes, which are taken then.
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
