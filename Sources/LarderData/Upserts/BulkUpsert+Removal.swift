import LarderSQLite

// The removal of rows that no record names, after all records are written.

extension BulkUpsert {
  /// Deletes the rows that no record named.
  package func finish(_ removal: UpsertRemoval<Model>, _ isCancelled: () -> Bool) throws {
    guard keyTable != nil else { return }
    defer { dropKeyTable() }
    if let firstKeyError {
      report.removalProblem = firstKeyError
      return
    }
    var missing = try unnamedRows()
    if case .matching(let predicate) = removal.scope {
      let matching = Set(try core.fetchRows(FetchDescriptor(predicate: predicate)))
      missing.removeAll { !matching.contains($0) }
    }
    // Rows are deleted as in a context, including cascades. A row that must not be deleted, or that another context has changed,
    // keeps the rows of its batch. The report contains the error, and the results of all other work.
    for start in Swift.stride(from: 0, to: missing.count, by: BulkUpsertLimits.removalBatchSize) {
      if isCancelled() { throw CancellationError() }
      let batch = missing[start..<min(start + BulkUpsertLimits.removalBatchSize, missing.count)]
      do {
        try tracker.deleteRows(Array(batch))
        try core.save()
        report.removed += batch.count
      } catch let error as SaveError {
        core.rollback()
        if report.removalProblem == nil { report.removalProblem = error }
      } catch {
        core.rollback()
        throw error
      }
    }
  }

  private func unnamedRows() throws -> [Int64] {
    try StoreError.mapErrors(tracker.store.errorURL, "looking for what no record names") {
      try tracker.store.database.withWriter { connection in
        try connection.execute(statement.createKeyTable)
        return try connection.withStatement(for: statement.selectUnnamed) { statement in
          var rows: [Int64] = []
          while try statement.step() { rows.append(statement.int64(0)) }
          return rows
        }
      }
    }
  }

  /// Drops the key table, so that no other upsert finds it.
  private func dropKeyTable() {
    guard let keyTable else { return }
    do {
      try tracker.store.database.withWriter { try $0.execute("DROP TABLE IF EXISTS temp.\(keyTable.tableName)") }
      keyTable.release()
    } catch {
      // The table exists until the connection is closed.
    }
  }

  /// Ends an upsert that is not completed.
  package func abandon() {
    dropKeyTable()
  }
}
