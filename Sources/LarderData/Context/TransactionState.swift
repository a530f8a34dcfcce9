/// The transaction of a context that is under way, with those within it.
///
/// Nothing is written before the outermost block has returned: a save that the block asks for is the one at its end. A
/// transaction within it is a part of it, which can be taken back by itself.
struct TransactionState {
  /// How many blocks are running, one within the other.
  fileprivate(set) var depth = 0
  /// Whether a save was asked for, which is carried out at the end.
  fileprivate(set) var isSaveDeferred = false
  /// Why the outermost one cannot end as its block expects.
  fileprivate var failure: SaveError?

  /// Whether what is pending is saved, or rolled back, at the end of a block.
  var isActive: Bool { depth > 0 }

  /// Everything pending was dropped, which may be more than belongs to whoever asked for it.
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
  /// Runs a block, and saves what it did, or takes it back.
  func transaction(_ block: () throws -> Void) throws {
    if isDeferringNotifications {
      throw SaveError(
        .savingNotAllowed, entityName: "",
        "A transaction cannot begin while the context is at work, as a value's own coding or == is called then. Begin it "
          + "afterwards.")
    }
    // What an observer of `willSave` changes is part of that save.
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
    // Only an observer of `willSave` has none around it.
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

  /// What a save within a transaction finds wrong at once; the rest is found at the end.
  func deferSaveInTransaction() throws {
    guard hasChanges else { return }
    try requireSavingAllowed(nil)
    try propagateDeletions()
    try validateRelationships()
    transactionState.isSaveDeferred = true
  }

  /// - Throws: ``SaveError``, where what is a save of its own cannot be part of a transaction that is under way.
  func requireNoTransaction(_ entityName: String, _ what: String) throws {
    guard transactionState.isActive else { return }
    throw SaveError(
      .savingNotAllowed, entityName: entityName,
      "\(entityName) cannot be \(what) within a transaction of the same context, since that is a save by itself, which the "
        + "transaction could not take back. Do so before or after it, or change the models.")
  }
}
