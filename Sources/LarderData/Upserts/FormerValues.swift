import LarderSQLite
import LarderSupport

/// Reads, while an upsert writes, what its rows had in columns of which somebody reads the rows of one value: of the first
/// rows of a transaction only, since of many rows everybody is told.
final class FormerValues<Model: PersistentModel, Record> {
  private var touched: TouchedValues
  private let statement: UpsertStatement<Model, Record>
  private let columns: [Int]
  /// nil where an update changes none of the columns.
  private let select: Statement?
  private var left = TouchedValues.limit

  /// nil where nobody reads the rows of one value.
  init?(_ statement: UpsertStatement<Model, Record>, _ state: EntityState, _ connection: Connection) throws {
    let layout = statement.layout
    guard let touched = TouchedValues(of: layout, state.store, connection) else { return nil }
    self.touched = touched
    self.statement = statement
    columns = touched.watchedColumns(of: layout).filter {
      ModelLayout.bit(layout.columns[$0].property) & statement.mask != 0
    }
    let names = [StoreFormat.identifierColumn] + columns.map { StoreFormat.quoted(layout.columns[$0].name) }
    select =
      columns.isEmpty
      ? nil
      : try connection.statement(
        for: "SELECT \(names.joined(separator: ", ")) FROM \(state.statements.table) WHERE \(statement.hasKey)")
  }

  deinit { select?.checkIn() }

  /// Before a record is written.
  func read(_ record: UnsafePointer<Record>) throws {
    guard left > 0, let select else { return }
    left -= 1
    var binder = RowBinder(statement: select, layout: statement.layout)
    defer { select.reset() }
    try statement.writeKey(record, &binder)
    // What cannot be a key is told by the write.
    guard binder.problem == nil, try select.step() else { return }
    var values: [Int: StoredValue] = [:]
    for (place, column) in columns.enumerated() {
      values[column] = StoredValue(column: Int32(place + 1), of: select.handle)
    }
    touched.noteFormer(select.int64(0), values, of: statement.layout)
  }

  /// After everything is written.
  func note(in entity: inout ChangeSet.Entity) throws {
    if entity.isEmpty { return }
    var changes = ChangeSet(entities: [entity])
    try touched.note(in: &changes)
    entity.touched = changes.entities[0].touched
  }
}
