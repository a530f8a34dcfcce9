/// The transaction of a context that is under way, with those within it.
///
/// Nothing is written before the outermost block has returned: a save that the block asks for is the one at its end. A
/// transaction within it is a part of it, which can be taken back by itself.
struct Transactions {
  /// How many blocks are running, one within the other.
  fileprivate(set) var depth = 0
  /// Whether a save was asked for, which is carried out at the end.
  fileprivate(set) var isSaveAwaited = false
  /// Why the outermost one cannot end as its block expects.
  fileprivate var failure: SaveError?

  /// Whether what is pending is saved, or rolled back, at the end of a block.
  var isUnderWay: Bool { depth > 0 }

  /// Everything pending was dropped, which may be more than belongs to whoever asked for it.
  mutating func rolledBack() {
    guard isUnderWay else { return }
    if failure != nil || depth == 1 && !isSaveAwaited { return }
    failure = SaveError(
      .transactionRolledBack, entityName: "",
      "A rollback() within the transaction dropped everything that was pending, also what was there before a save or an inner "
        + "transaction. Throw from the block instead, to roll back all of it. Nothing was written.")
  }
}

extension ContextCore {
  /// Runs a block, and saves what it did, or takes it back.
  func transaction(_ block: () throws -> Void) throws {
    if isQuiet {
      throw SaveError(
        .savingNotAllowed, entityName: "",
        "A transaction cannot begin while the context is at work, as a value's own coding or == is called then. Begin it "
          + "afterwards.")
    }
    // What an observer of `willSave` changes is part of that save.
    if transactions.isUnderWay || isSaving { return try innerTransaction(block) }
    transactions.depth = 1
    do {
      try block()
      if let failure = transactions.failure { throw failure }
      transactionsEnd()
      try save()
    } catch {
      transactionsEnd()
      rollback()
      throw error
    }
  }

  private func innerTransaction(_ block: () throws -> Void) throws {
    let savepoint = beginSavepoint()
    transactions.depth += 1
    // Only an observer of `willSave` has none around it.
    defer { if transactions.depth == 0 { transactionsEnd() } }
    do {
      try block()
      transactions.depth -= 1
    } catch {
      transactions.depth -= 1
      if !takeBack(to: savepoint), transactions.failure == nil {
        transactions.failure = SaveError(
          .transactionRolledBack, entityName: "",
          "An inner transaction failed, and what it did cannot be told from the rest, so that the outer one is rolled back "
            + "with it. Nothing was written. The inner one's error: \(error)")
      }
      throw error
    }
  }

  private func transactionsEnd() {
    transactions = Transactions()
    endSavepoints()
  }

  /// What a save within a transaction finds wrong at once; the rest is found at the end.
  func saveWithinTransaction() throws {
    guard hasChanges else { return }
    try refuseWhatMayNotBeSaved(nil)
    try spreadDeletions()
    try validateRelations()
    transactions.isSaveAwaited = true
  }

  /// - Throws: ``SaveError``, where what is a save of its own cannot be part of a transaction that is under way.
  func refuseWithinTransaction(_ entityName: String, _ what: String) throws {
    guard transactions.isUnderWay else { return }
    throw SaveError(
      .savingNotAllowed, entityName: entityName,
      "\(entityName) cannot be \(what) within a transaction of the same context, since that is a save by itself, which the "
        + "transaction could not take back. Do so before or after it, or change the models.")
  }
}
