import LarderSQLite
import LarderSupport

/// Reads, inside a save, the old and new values of its rows in observed columns: columns by whose value observers filter.
struct ChangedIndexedValues {
  /// The maximum number of rows per entity for which values are recorded. A larger save notifies every observer.
  static let maximumRows = 1_000

  private let store: SQLiteStore
  private let connection: Connection
  /// The values before the save of the rows to be changed, by the entity.
  private var previousValues: [Int: [Int64: [Int: _StoredValue]]] = [:]
  /// The observed columns of each entity.
  private var columnsByLayout: [Int: [Int]] = [:]

  /// Reads the values before anything is written.
  init(_ trackers: [_EntityTracker], _ store: SQLiteStore, _ connection: Connection) throws {
    self.store = store
    self.connection = connection
    for tracker in trackers where tracker.hasChanges {
      let watched = store.observers.observedColumns(of: tracker.layout).inOrder()
      if watched.isEmpty { continue }
      columnsByLayout[tracker.layout.id] = watched
      let edited = tracker.changed.map { tracker.erased($0)._$header.pointee.rowID }
      let rows = edited + tracker.deletedRows
      if rows.count > ChangedIndexedValues.maximumRows { continue }
      previousValues[tracker.layout.id] = try values(of: rows, watched, tracker.layout)
    }
  }

  /// Creates a recorder for a writer that records the old values of each row itself; `nil` if no column is observed.
  init?(of layout: _ModelLayout, _ store: SQLiteStore, _ connection: Connection) {
    let watched = store.observers.observedColumns(of: layout).inOrder()
    if watched.isEmpty { return nil }
    self.store = store
    self.connection = connection
    columnsByLayout[layout.id] = watched
    previousValues[layout.id] = [:]
  }

  /// Returns the observed columns of an entity.
  func observedColumns(of layout: _ModelLayout) -> [Int] { columnsByLayout[layout.id] ?? [] }

  /// Records the values of a row before it is written; of a row that is written twice, the first call counts.
  mutating func recordPrevious(_ row: Int64, _ values: [Int: _StoredValue], of layout: _ModelLayout) {
    if previousValues[layout.id]?[row] == nil { previousValues[layout.id]?[row] = values }
  }

  /// Records the changed values in the change set, after everything is written, so that observers can be notified.
  func record(in changes: inout ChangeSet) throws {
    if columnsByLayout.isEmpty { return }
    for place in changes.entities.indices {
      let entity = changes.entities[place]
      guard let watched = columnsByLayout[entity.layout.id] else { continue }
      if entity.inserted.count + entity.updated.count + entity.deleted.count > ChangedIndexedValues.maximumRows {
        continue
      }
      let rows = entity.inserted + entity.updated.map(\.row)
      let former = previousValues[entity.layout.id] ?? [:]
      let present = try values(of: rows, watched, entity.layout)
      for column in watched {
        changes.entities[place].changedIndexedValues[column] = changedValues(
          column, entity, previous: former, current: present)
      }
    }
  }

  /// Returns the changed values of a column, or `nil` if they are unknown: for a row to which an insert was resolved, or which
  /// an update by predicate changed.
  private func changedValues(
    _ column: Int, _ entity: ChangeSet.Entity, previous former: [Int64: [Int: _StoredValue]],
    current present: [Int64: [Int: _StoredValue]]
  ) -> Set<_StoredValue>? {
    let bit = _ModelLayout.bit(entity.layout.columns[column].property)
    var result: Set<_StoredValue> = []
    for row in entity.inserted + entity.updated.map(\.row) {
      guard let value = present[row]?[column] else { return nil }
      result.insert(value)
    }
    for row in entity.deleted + entity.updated.lazy.filter({ $0.mask & bit != 0 }).map(\.row) {
      guard let value = former[row]?[column] else { return nil }
      result.insert(value)
    }
    return result
  }

  private func values(
    of rows: [Int64], _ columns: [Int], _ layout: _ModelLayout
  ) throws -> [Int64: [Int: _StoredValue]] {
    if rows.isEmpty { return [:] }
    let names = columns.map { StoreFormat.quoted(layout.columns[$0].name) }.joined(separator: ", ")
    let id = StoreFormat.identifierColumn
    let sql =
      "SELECT \(id), \(names) FROM \(StoreFormat.quoted(layout.tableName)) "
      + "WHERE \(id) IN (SELECT value FROM larder_values(?1))"
    return try connection.withStatement(for: sql) { statement in
      statement.bind(1, BoundValues(rows))
      var result: [Int64: [Int: _StoredValue]] = [:]
      while try statement.step() {
        var values: [Int: _StoredValue] = [:]
        for (place, column) in columns.enumerated() {
          values[column] = _StoredValue(column: Int32(place + 1), of: statement.handle)
        }
        result[statement.int64(0)] = values
      }
      return result
    }
  }
}
