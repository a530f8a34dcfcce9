import LarderSQLite
import LarderSupport

/// A reader of the former values of rows that an upsert writes, in the columns by whose values live queries select rows. It reads
/// only the first rows of a transaction: a transaction of many rows notifies all queries of these columns.
final class UpsertOriginalValues<Model: PersistentModel, Record> {
  private var changedValues: ChangedIndexedValues
  private let statement: UpsertStatement<Model, Record>
  private let columns: [Int]
  /// The statement, or `nil` if an update changes none of the columns.
  private let select: Statement?
  private var remainingRows = ChangedIndexedValues.maximumRows

  /// Creates a reader, or returns `nil` if no live query selects rows by a value.
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

  /// Reads the row of a record before the record is written.
  func read(_ record: UnsafePointer<Record>) throws {
    guard remainingRows > 0, let select else { return }
    remainingRows -= 1
    var binder = _RowBinder(statement: select, layout: statement.layout)
    defer { select.reset() }
    try statement.bindKey(record, &binder)
    // The write reports a value that cannot be a key.
    guard binder.firstProblem == nil, try select.step() else { return }
    var values: [Int: _StoredValue] = [:]
    for (place, column) in columns.enumerated() {
      values[column] = _StoredValue(column: Int32(place + 1), of: select.handle)
    }
    changedValues.recordPrevious(select.int64(0), values, of: statement.layout)
  }

  /// Adds the former values to the changes, after all records are written.
  func record(in entity: inout ChangeSet.Entity) throws {
    if entity.isEmpty { return }
    var changes = ChangeSet(entities: [entity])
    try changedValues.record(in: &changes)
    entity.changedIndexedValues = changes.entities[0].changedIndexedValues
  }
}
