import LarderSQLite
import LarderSupport

/// Reads, while an upsert writes, what its rows had in columns of which somebody reads the rows of one value: of the first
/// rows of a transaction only, since of many rows everybody is told.
final class UpsertOriginalValues<Model: PersistentModel, Record> {
  private var changedValues: ChangedIndexedValues
  private let statement: UpsertStatement<Model, Record>
  private let columns: [Int]
  /// nil where an update changes none of the columns.
  private let select: Statement?
  private var remainingRows = ChangedIndexedValues.maximumRows

  /// nil where nobody reads the rows of one value.
  init?(_ statement: UpsertStatement<Model, Record>, _ tracker: _EntityTracker, _ connection: Connection) throws {
    let layout = statement.layout
    guard let touched = ChangedIndexedValues(of: layout, tracker.store, connection) else { return nil }
    self.changedValues = touched
    self.statement = statement
    columns = touched.observedColumns(of: layout).filter {
      _ModelLayout.bit(layout.columns[$0].property) & statement.mask != 0
    }
    let names = [StoreFormat.identifierColumn] + columns.map { StoreFormat.quoted(layout.columns[$0].name) }
    select =
      columns.isEmpty
      ? nil
      : try connection.statement(
        for: "SELECT \(names.joined(separator: ", ")) FROM \(tracker.statements.table) WHERE \(statement.keyCondition)")
  }

  deinit { select?.checkIn() }

  /// Before a record is written.
  func read(_ record: UnsafePointer<Record>) throws {
    guard remainingRows > 0, let select else { return }
    remainingRows -= 1
    var binder = _RowBinder(statement: select, layout: statement.layout)
    defer { select.reset() }
    try statement.bindKey(record, &binder)
    // What cannot be a key is told by the write.
    guard binder.firstProblem == nil, try select.step() else { return }
    var values: [Int: _StoredValue] = [:]
    for (place, column) in columns.enumerated() {
      values[column] = _StoredValue(column: Int32(place + 1), of: select.handle)
    }
    changedValues.recordPrevious(select.int64(0), values, of: statement.layout)
  }

  /// After everything is written.
  func record(in entity: inout ChangeSet.Entity) throws {
    if entity.isEmpty { return }
    var changes = ChangeSet(entities: [entity])
    try changedValues.record(in: &changes)
    entity.changedIndexedValues = changes.entities[0].changedIndexedValues
  }
}
