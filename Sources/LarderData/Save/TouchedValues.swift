import LarderSQLite
import LarderSupport

/// Reads, inside a save, what its rows had and have in the columns of which somebody reads the rows of one value.
struct TouchedValues {
  /// Of larger saves everybody is told.
  static let limit = 1_000

  private let store: SQLiteStore
  private let connection: Connection
  /// What the rows had that the save was to change, by the model.
  private var former: [Int: [Int64: [Int: StoredValue]]] = [:]
  /// What is watched of each model.
  private var columns: [Int: [Int]] = [:]

  /// Before anything is written.
  init(_ states: [EntityState], _ store: SQLiteStore, _ connection: Connection) throws {
    self.store = store
    self.connection = connection
    for state in states where state.hasChanges {
      let watched = store.observers.observedColumns(of: state.layout).inOrder()
      if watched.isEmpty { continue }
      columns[state.layout.id] = watched
      let edited = state.changed.map { state.erased($0)._$header.pointee.rowID }
      let rows = edited + state.deletedRows
      if rows.count > TouchedValues.limit { continue }
      former[state.layout.id] = try values(of: rows, watched, state.layout)
    }
  }

  /// For what is written row by row, and notes itself what each row had; nil where nobody wants to know.
  init?(of layout: ModelLayout, _ store: SQLiteStore, _ connection: Connection) {
    let watched = store.observers.observedColumns(of: layout).inOrder()
    if watched.isEmpty { return nil }
    self.store = store
    self.connection = connection
    columns[layout.id] = watched
    former[layout.id] = [:]
  }

  /// What is watched of a model.
  func watchedColumns(of layout: ModelLayout) -> [Int] { columns[layout.id] ?? [] }

  /// Notes what a row has before it is written; of one that is written twice, the first counts.
  mutating func noteFormer(_ row: Int64, _ values: [Int: StoredValue], of layout: ModelLayout) {
    if former[layout.id]?[row] == nil { former[layout.id]?[row] = values }
  }

  /// After everything is written: what somebody must be told of is noted with the changes.
  func note(in changes: inout ChangeSet) throws {
    if columns.isEmpty { return }
    for place in changes.entities.indices {
      let entity = changes.entities[place]
      guard let watched = columns[entity.layout.id] else { continue }
      if entity.inserted.count + entity.updated.count + entity.deleted.count > TouchedValues.limit { continue }
      let rows = entity.inserted + entity.updated.map(\.row)
      let former = former[entity.layout.id] ?? [:]
      let present = try values(of: rows, watched, entity.layout)
      for column in watched {
        changes.entities[place].touched[column] = touched(column, entity, former: former, present: present)
      }
    }
  }

  /// nil where that is not known: of a row that an insert or an update by predicate met.
  private func touched(
    _ column: Int, _ entity: ChangeSet.Entity, former: [Int64: [Int: StoredValue]],
    present: [Int64: [Int: StoredValue]]
  ) -> Set<StoredValue>? {
    let bit = ModelLayout.bit(entity.layout.columns[column].property)
    var result: Set<StoredValue> = []
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
    of rows: [Int64], _ columns: [Int], _ layout: ModelLayout
  ) throws -> [Int64: [Int: StoredValue]] {
    if rows.isEmpty { return [:] }
    let names = columns.map { StoreFormat.quoted(layout.columns[$0].name) }.joined(separator: ", ")
    let id = StoreFormat.identifierColumn
    let sql =
      "SELECT \(id), \(names) FROM \(StoreFormat.quoted(layout.tableName)) "
      + "WHERE \(id) IN (SELECT value FROM larder_values(?1))"
    return try connection.withStatement(for: sql) { statement in
      statement.bind(1, BoundValues(rows))
      var result: [Int64: [Int: StoredValue]] = [:]
      while try statement.step() {
        var values: [Int: StoredValue] = [:]
        for (place, column) in columns.enumerated() {
          values[column] = StoredValue(column: Int32(place + 1), of: statement.handle)
        }
        result[statement.int64(0)] = values
      }
      return result
    }
  }
}
