import LarderSQLite

/// A lookup of another entity's rows by a unique key, inside an upsert's transaction.
final class RelatedRowLookup {
  let keyName: String
  let codec: _AnyPropertyCodec
  /// The column next to the foreign key that orders rows in the inverse to-many relationship, or `nil` if there is none.
  let orderColumn: String?
  private let layout: _ModelLayout
  private let column: String
  private var statement: Statement?
  /// The recently found rows: records with the same owner mostly follow each other.
  private var cache: [_StoredValue: Int64] = [:]

  /// 4,096: some hundred kilobytes.
  private static let capacity = 4_096

  init(_ layout: _ModelLayout, _ property: PropertyLayout, order: String?) {
    self.layout = layout
    self.orderColumn = order
    keyName = property.name
    codec = property.codec
    column = layout.columns[property.columns.lowerBound].name
  }

  /// The error text for a key without a row.
  var missingReason: String { "there is no saved \(layout.entityName) with the \(keyName) that it names" }

  func prepare(on connection: Connection, _ core: _ContextCore) throws {
    cache.removeAll(keepingCapacity: true)
    // The table may contain rows of other classes, too.
    let filter = try core.tracker(for: layout).statements.filter.map { " AND \($0)" } ?? ""
    statement = try connection.statement(
      for: "SELECT \(StoreFormat.identifierColumn) FROM \(StoreFormat.quoted(layout.tableName)) "
        + "WHERE \(StoreFormat.quoted(column)) = ?1\(filter)")
  }

  func releaseStatement() {
    statement?.checkIn()
    statement = nil
  }

  func rowID(forKey key: _StoredValue) throws -> Int64? {
    if let row = cache[key] { return row }
    guard let statement else { return nil }
    statement.bind(1, key)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    if cache.count == RelatedRowLookup.capacity { cache.removeAll(keepingCapacity: true) }
    let row = statement.int64(0)
    cache[key] = row
    return row
  }
}
