internal import CLarderSQLite
internal import CSQLite

/// The way in which a transaction begins.
public enum TransactionKind: Sendable {
  /// Takes the write lock at once. Use it for writing: a read transaction that becomes a writing one can fail at any
  /// statement.
  case immediate
  /// Takes a snapshot at its first read.
  case deferred
}

extension Connection {
  /// Runs the body in a transaction: committed when it returns, rolled back when it throws.
  ///
  /// ```swift
  /// try connection.transaction { try insertAll() }
  /// ```
  ///
  /// Afterwards no transaction is open in any case, and the error thrown is the first one. SQLite itself rolls back on
  /// some errors, for example when the disk is full. A body that catches such an error and continues cannot store the
  /// rest of its work: the connection refuses every commit but the one at the end, which then fails as a whole.
  ///
  /// - Throws: The body's error, or ``SQLiteError``.
  public func transaction<Result>(
    _ kind: TransactionKind = .immediate, _ body: () throws -> Result
  ) throws -> Result {
    guard isOpen else { throw SQLiteError.closed(context: "beginning a transaction") }
    guard !isInTransaction else {
      throw SQLiteError.refused(
        .alreadyInTransaction, code: SQLITE_MISUSE, "a transaction is open already", context: "beginning a transaction")
    }
    try executeCached(kind == .immediate ? "BEGIN IMMEDIATE" : "BEGIN DEFERRED", context: "beginning a transaction")
    let rollbacks = transactionMonitor.pointee.rollbacks
    transactionMonitor.pointee.guarding = 1
    do {
      let result = try body()
      guard isInTransaction, transactionMonitor.pointee.rollbacks == rollbacks else {
        throw SQLiteError.refused(
          .transactionLost, code: SQLITE_ABORT, "the transaction ended before its scope did",
          context: "committing a transaction")
      }
      transactionMonitor.pointee.committing = 1
      try executeCached("COMMIT", context: "committing a transaction")
      transactionMonitor.pointee.committing = 0
      transactionMonitor.pointee.guarding = 0
      return result
    } catch {
      transactionMonitor.pointee.committing = 0
      rollbackOpenTransaction()
      transactionMonitor.pointee.guarding = 0
      throw error
    }
  }

  /// Runs the body in a savepoint of the open transaction: if it throws, only its own work is rolled back.
  ///
  /// Savepoints nest.
  ///
  /// - Throws: The body's error, or ``SQLiteError``, with the reason ``SQLiteError/Reason/notInTransaction`` outside a
  ///   transaction.
  public func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
    guard isInTransaction else {
      throw SQLiteError.refused(
        .notInTransaction, code: SQLITE_MISUSE, "no transaction is open", context: "setting a savepoint")
    }
    // The same name at every depth: SQLite uses the innermost savepoint, and the three texts stay in the cache.
    try executeCached("SAVEPOINT larder", context: "setting a savepoint")
    let rollbacks = transactionMonitor.pointee.rollbacks
    do {
      let result = try body()
      guard isInTransaction, transactionMonitor.pointee.rollbacks == rollbacks else {
        throw SQLiteError.refused(
          .transactionLost, code: SQLITE_ABORT, "the transaction ended before its savepoint did",
          context: "releasing a savepoint")
      }
      try executeCached("RELEASE larder", context: "releasing a savepoint")
      return result
    } catch {
      // If SQLite has rolled back everything, the savepoint is gone, too; the first error says why.
      if isInTransaction, transactionMonitor.pointee.rollbacks == rollbacks {
        do {
          try executeCached("ROLLBACK TO larder", context: "undoing a savepoint")
          try executeCached("RELEASE larder", context: "undoing a savepoint")
        } catch _ {
          // If the partial rollback fails, roll back the whole transaction.
          rollbackOpenTransaction()
        }
      }
      throw error
    }
  }

  /// Rolls back an open transaction. Errors are not reported: the caller has an earlier one to report.
  func rollbackOpenTransaction() {
    guard isInTransaction else { return }
    try? executeCached("ROLLBACK", context: "rolling back")
    if isInTransaction {
      // A statement that is still writing can prevent the rollback.
      resetStatements()
      sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
    }
  }

  func executeCached(_ sql: String, context: String) throws {
    do {
      try withStatement(for: sql) { try $0.run() }
    } catch var error as SQLiteError {
      error.context = context
      throw error
    }
  }
}
