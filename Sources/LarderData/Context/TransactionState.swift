/// The state of a context's transaction and the transactions nested in it.
///
/// The context writes nothing before the outermost block returns: a save in the block is deferred to its end. A nested
/// transaction is a part of the outer one that can be rolled back alone.
struct TransactionState {
  /// The nesting depth of running blocks.
  fileprivate(set) var depth = 0
  /// Whether the block asked for a save, which runs at the end.
  fileprivate(set) var isSaveDeferred = false
  /// The error that prevents the outermost transaction from ending as its block expects.
  fileprivate var failure: SaveError?

  /// Whether a transaction is in progress, at whose end pending changes are saved or rolled back.
  var isActive: Bool { depth > 0 }

  /// Records a rollback, which may have dropped more changes than its caller made.
  mutating func recordRollback() {
    guard isActive else { return }
    if failure != nil || depth == 1 && !isSaveDeferred { return }
    failure = SaveError(
      .transactionRolledBack, entityName: "",
      "A rollback() within the transaction dropped everything that was pending, also what was there before a save or an inner "
        + "transaction. Throw from the block instead, to roll back all of it. Nothing was written.")
  }
}

extension _ContextCore {
  /// Runs a block, then saves its changes, or rolls them back if it throws.
  func transaction(_ block: () throws -> Void) throws {
    if isDeferringNotifications {
      throw SaveError(
        .savingNotAllowed, entityName: "",
        "A transaction cannot begin while the context is at work, as a value's own coding or == is called then. Begin it "
          + "afterwards.")
    }
    // A change by an observer of `willSave` is part of that save.
    if transactionState.isActive || isSaving { return try nestedTransaction(block) }
    transactionState.depth = 1
    do {
      try block()
      if let failure = transactionState.failure { throw failure }
      endTransactions()
      try save()
    } catch {
      endTransactions()
      rollback()
      throw error
    }
  }

  private func nestedTransaction(_ block: () throws -> Void) throws {
    let savepoint = beginSavepoint()
    transactionState.depth += 1
    // Only a transaction in an observer of `willSave` has no outer one.
    defer { if transactionState.depth == 0 { endTransactions() } }
    do {
      try block()
      transactionState.depth -= 1
    } catch {
      transactionState.depth -= 1
      if !rollBack(to: savepoint), transactionState.failure == nil {
        transactionState.failure = SaveError(
          .transactionRolledBack, entityName: "",
          "An inner transaction failed, and what it did cannot be told from the rest, so that the outer one is rolled back "
            + "with it. Nothing was written. The inner one's error: \(error)")
      }
      throw error
    }
  }

  private func endTransactions() {
    transactionState = TransactionState()
    endSavepoints()
  }

  /// Performs the checks of a save that can run at once within a transaction; the other checks run at the end.
  func deferSaveInTransaction() throws {
    guard hasChanges else { return }
    try requireSavingAllowed(nil)
    try propagateDeletions()
    try validateRelationships()
    transactionState.isSaveDeferred = true
  }

  /// - Throws: ``SaveError`` if a transaction is in progress, since the operation is a save of its own.
  func requireNoTransaction(_ entityName: String, _ what: String) throws {
    guard transactionState.isActive else { return }
    throw SaveError(
      .savingNotAllowed, entityName: entityName,
      "\(entityName) cannot be \(what) within a transaction of the same context, since that is a save by itself, which the "
        + "transaction could not take back. Do so before or after it, or change the models.")
  }
}
