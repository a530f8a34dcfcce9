import LarderSQLite

// Many rows by their identifiers, in one statement.

extension ContextCore {
  /// The models of some rows, by their row: the context's own instances, with what the store has by now.
  ///
  /// Rows that are not there, or whose deletion is pending, are left out. Inserted models are in no row and are found
  /// by their identifiers all the same.
  func load<T: PersistentModel>(_ rows: some Collection<Int64>, as type: T.Type) throws -> [Int64: T] {
    let state = try state(for: T._$layout)
    var found: [Int64: T] = [:]
    found.reserveCapacity(rows.count)
    var stored: [Int64] = []
    stored.reserveCapacity(rows.count)
    for row in rows where !state.deletedRows.contains(row) {
      if let known = state.find(row), case let model = unsafeDowncast(known, to: T.self),
        model._$header.pointee.status.contains(.inserted)
      {
        found[row] = model
      } else {
        stored.append(row)
      }
    }
    if stored.isEmpty { return found }
    for model in try read(stored, state, type) { found[model._$header.pointee.rowID] = model }
    return found
  }

  /// Gives the instances of rows the values that the rows have by now.
  func refresh(_ rows: [Int64], _ state: EntityState) throws {
    func refresh<T: PersistentModel>(_ type: T.Type) throws { _ = try read(rows, state, type) }
    try refresh(state.layout.type)
  }

  private func read<T: PersistentModel>(_ rows: [Int64], _ state: EntityState, _ type: T.Type) throws -> [T] {
    try StoreError.wrapping(store.database.isInMemory ? nil : store.url, "reading \(T._$layout.entityName)") {
      try session.read { connection in
        let sql =
          state.statements.selectRows
          + " WHERE \(StoreFormat.identifierColumn) IN (SELECT value FROM larder_values(?1))"
        let statement = try connection.statement(for: sql)
        defer { statement.checkIn() }
        statement.bind(1, BoundValues(rows))
        return try ModelArray.collect(type) { try T._$load(StoredRows(statement), state, into: $0) }
      }
    }
  }
}
