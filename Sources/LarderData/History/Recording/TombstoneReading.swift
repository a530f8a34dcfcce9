import LarderSQLite
import LarderSupport

/// Reads what rows have in their attributes with `.preserveValueOnDeletion`, before they are deleted.
final class TombstoneReading {
  private let columns: [String]
  private let row: Statement
  private let externals: [(property: String, value: Statement)]

  /// nil where the model has no such attribute.
  init?(_ state: EntityState, connection: Connection) throws {
    let layout = state.layout
    let preserved = layout.properties.filter { $0.attribute?.isPreservedOnDeletion ?? false }
    if preserved.isEmpty { return nil }
    columns = preserved.flatMap { layout.columns[$0.columns].map(\.name) }
    let names = columns.isEmpty ? "1" : columns.map(StoreFormat.quoted).joined(separator: ", ")
    row = try connection.statement(
      for: "SELECT \(names) FROM \(state.statements.table) WHERE \(StoreFormat.identifierColumn) = ?1")
    externals = try preserved.compactMap(\.placement.external).map {
      ($0.property, try connection.statement(for: $0.select))
    }
  }

  deinit {
    row.checkIn()
    for (_, value) in externals { value.checkIn() }
  }

  /// 64 MiB of values: more is not kept, since all of it is in memory until the save is done. The tests set it lower.
  @TaskLocal static var limit = 64 * 1_048_576
  private var left = TombstoneReading.limit {
    didSet {
      if left <= 0, oldValue > 0 {
        Log.warning("The history keeps no more of what is deleted in this save: it is more than 64 MiB.")
      }
    }
  }

  /// nil where there is no such row.
  func read(_ number: Int64) throws -> ChangeSet.Tombstone? {
    row.bind(1, number)
    defer { row.reset() }
    guard try row.step() else { return nil }
    var tombstone = ChangeSet.Tombstone(row: number, values: [])
    // Of each row all that lies in it, or nothing: a value may be of several columns.
    if left <= 0 { return tombstone }
    for (place, column) in columns.enumerated() {
      let stored = StoredValue(column: Int32(place), of: row.handle)
      left -= stored.size
      tombstone.values.append((column, stored))
    }
    for (property, value) in externals {
      value.bind(1, number)
      defer { value.reset() }
      guard left > 0 else { continue }
      let stored = try value.step() ? StoredValue(column: 0, of: value.handle) : .null
      left -= stored.size
      tombstone.values.append((property, stored))
    }
    return tombstone
  }
}

extension StoredValue {
  fileprivate var size: Int {
    switch self {
    case .null, .integer, .real: 8
    case .text(let text): text.utf8.count
    case .blob(let bytes): bytes.count
    }
  }
}
