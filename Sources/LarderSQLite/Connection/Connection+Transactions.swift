internal import CLarderSQLite
internal import CSQLite

/// How a transaction begins.
public enum TransactionKind: Sendable {
  /// Takes the write lock at once. For writing: a read that becomes a write can fail at any statement.
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
  /// Whatever happens, no transaction is open afterwards, and the error thrown is the first one. SQLite itself rolls
  /// back on some errors, a full disk for one. A body that catches such an error and goes on cannot store the rest of
  /// its work: the connection refuses every commit but the one at the end, which then fails as a whole.
  ///
  /// - Throws: What the body throws, or ``SQLiteError``.
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

  /// Runs the body in a savepoint of the open transaction: when it throws, only its own work is undone.
  ///
  /// Savepoints nest.
  public func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
    guard isInTransaction else {
      throw SQLiteError.refused(
        .notInTransaction, code: SQLITE_MISUSE, "no transaction is open", context: "setting a savepoint")
    }
    // The same name at every depth: SQLite takes the innermost, and the three texts stay in the cache.
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
      // When SQLite has rolled back everything, the savepoint is gone with it; the first error says why.
      if isInTransaction, transactionMonitor.pointee.rollbacks == rollbacks {
        do {
          try executeCached("ROLLBACK TO larder", context: "undoing a savepoint")
          try executeCached("RELEASE larder", context: "undoing a savepoint")
        } catch _ {
          // What cannot be undone in part is undone as a whole.
          rollbackOpenTransaction()
        }
      }
      throw error
    }
  }

  /// Leaves no transaction open. Errors are not reported: the caller has an earlier one to tell.
  func rollbackOpenTransaction() {
    guard isInTransaction else { return }
    try? executeCached("ROLLBACK", context: "rolling back")
    if isInTransaction {
      // A statement that is still writing can be in the way.
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
