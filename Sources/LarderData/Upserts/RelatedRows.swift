import LarderSQLite

/// Finds the rows of another model by a key of theirs, inside an upsert's transaction.
final class RelatedRows {
  let name: String
  let codec: AnyPropertyCodec
  /// The column beside the key that orders rows in the other end's to-many, where it has one.
  let order: String?
  private let layout: ModelLayout
  private let column: String
  private var statement: Statement?
  /// What was found lately: records of one owner mostly come together.
  private var known: [StoredValue: Int64] = [:]

  /// 4,096: some hundred kilobytes.
  private static let capacity = 4_096

  init(_ layout: ModelLayout, _ property: PropertyLayout, order: String?) {
    self.layout = layout
    self.order = order
    name = property.name
    codec = property.codec
    column = layout.columns[property.columns.lowerBound].name
  }

  /// What is said where no row has a key.
  var absence: String { "there is no saved \(layout.entityName) with the \(name) that it names" }

  func begin(on connection: Connection, _ core: ContextCore) throws {
    known.removeAll(keepingCapacity: true)
    // The table may have rows of other classes, too.
    let filter = try core.state(for: layout).statements.filter.map { " AND \($0)" } ?? ""
    statement = try connection.statement(
      for: "SELECT \(StoreFormat.identifierColumn) FROM \(StoreFormat.quoted(layout.tableName)) "
        + "WHERE \(StoreFormat.quoted(column)) = ?1\(filter)")
  }

  func end() {
    statement?.checkIn()
    statement = nil
  }

  func row(_ key: StoredValue) throws -> Int64? {
    if let row = known[key] { return row }
    guard let statement else { return nil }
    statement.bind(1, key)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    if known.count == RelatedRows.capacity { known.removeAll(keepingCapacity: true) }
    let row = statement.int64(0)
    known[key] = row
    return row
  }
}
