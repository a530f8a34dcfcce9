import LarderSQLite

// What becomes of rows that no record names, once all are written.

extension BulkUpsert {
  /// Removes what no record named.
  package func end(_ removal: UpsertRemoval<Model>, _ isCancelled: () -> Bool) throws {
    guard notes != nil else { return }
    defer { forgetNotes() }
    if let lostKey {
      report.removalProblem = lostKey
      return
    }
    var missing = try missingRows()
    if case .some(let predicate) = removal.choice {
      let matching = Set(try core.rows(FetchDescriptor(predicate: predicate)))
      missing.removeAll { !matching.contains($0) }
    }
    // As deletions are: a context's, with all that they lead to. A row that may not go, or that others have changed, keeps
    // those of its own transaction; the report says so, and tells of all else that was done.
    for start in Swift.stride(from: 0, to: missing.count, by: BulkUpsertBatch.removals) {
      if isCancelled() { throw CancellationError() }
      let batch = missing[start..<min(start + BulkUpsertBatch.removals, missing.count)]
      do {
        try state.deleteRows(Array(batch))
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

  private func missingRows() throws -> [Int64] {
    try StoreError.wrapping(state.store.errorURL, "looking for what no record names") {
      try state.store.database.withWriter { connection in
        try connection.execute(statement.makeNotes)
        return try connection.withStatement(for: statement.missing) { statement in
          var rows: [Int64] = []
          while try statement.step() { rows.append(statement.int64(0)) }
          return rows
        }
      }
    }
  }

  /// Nobody else's upsert finds them.
  private func forgetNotes() {
    guard let notes else { return }
    do {
      try state.store.database.withWriter { try $0.execute("DROP TABLE IF EXISTS temp.\(notes.name)") }
      notes.release()
    } catch {
      // The connection has it until it is closed.
    }
  }

  /// It does not come to its end.
  package func abandon() {
    forgetNotes()
  }
}
