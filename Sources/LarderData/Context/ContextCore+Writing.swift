import LarderSQLite
import LarderSupport

// The part of a save that writes: retried where other contexts have changed the rows, in one transaction for each store.

extension _ContextCore {
  func writeRetryingConflicts(_ update: BatchUpdateWriter?) throws -> SaveOutcome {
    var attempt = 0
    while true {
      do {
        return try writeResolvingReferences(update, detectsConflicts: attempt < OneToOneConflict.maximumAttempts)
      } catch let outdated as StaleVersionConflict {
        attempt += 1
        try resolveStaleVersion(outdated, attempt: attempt)
      } catch let taken as RowIDCollision {
        attempt += 1
        try resolveCollision(taken, attempt: attempt)
      } catch let rivals as OneToOneConflict {
        attempt += 1
        resolveConflict(rivals)
      }
      try validateRelationships()
      notifyWillSave()
    }
  }

  private func writeResolvingReferences(_ update: BatchUpdateWriter?, detectsConflicts refusesRivals: Bool) throws
    -> SaveOutcome
  {
    do {
      return try writeStores(
        update, CommitChecks(checkReferences: { _, _ in throw UnresolvedReferences() }, detectsConflicts: refusesRivals)
      )
    } catch is UnresolvedReferences {
      // After the save's checks, another context may have deleted a row that is referenced here, or inserted a row that is
      // related to a row deleted here.
      if hasRemoteChanges, !servesStorageBackend { mergeRemoteChanges() }
      try repropagateDeletions()
      try validateRelationships()
      notifyWillSave()
      let references = { (trackers: [_EntityTracker], connection: Connection) in
        try self.checkOwnersExist(trackers, connection)
        if let error = try self.danglingReferenceError(trackers, connection) { throw error }
      }
      return try writeStores(update, CommitChecks(checkReferences: references, detectsConflicts: refusesRivals))
    }
  }

  /// The conditions that prevent the commit of written rows.
  private struct CommitChecks {
    /// Called where a written row would reference a row that does not exist.
    let checkReferences: ([_EntityTracker], Connection) throws -> Void
    /// Whether the save looks for a ``OneToOneConflict``.
    let detectsConflicts: Bool
  }

  private func writeStores(_ update: BatchUpdateWriter?, _ refuse: CommitChecks) throws -> SaveOutcome {
    var outcome = SaveOutcome()
    do {
      try writeAndCommit(to: sessionsToWrite(for: update)[...], update, refuse, [], &outcome)
    } catch {
      if outcome.committed.isEmpty { throw error }
      outcome.failure = explainingPartialSave(error, after: outcome)
    }
    return outcome
  }

  /// Returns the error of a store that failed, with the entities that are saved nevertheless because other stores had committed.
  private func explainingPartialSave(_ error: any Error, after outcome: SaveOutcome) -> any Error {
    guard var error = error as? StoreError else { return error }
    let settled = outcome.entityWriters.map(\.tracker)
    let saved = Set(outcome.committed.flatMap(\.changes.entities).map(\.layout.entityName)).inOrder()
    let pending = trackers.filter { tracker in tracker.hasChanges && !settled.contains { $0 === tracker } }
      .map(\.layout.entityName).inOrder()
    if saved.isEmpty || pending.isEmpty { return error }
    error.explanation +=
      " Another store had committed by then: what was changed of \(saved.joined(separator: ", ")) is saved, and what "
      + "was changed of \(pending.joined(separator: ", ")) stays pending. Save again when this is mended, or roll back."
    return error
  }

  /// Returns the stores to write. All contexts lock them in the same order, so that no two wait for each other.
  private func sessionsToWrite(for update: BatchUpdateWriter?) -> [StoreSession] {
    if sessions.count == 1 { return sessions }
    return sessions.filter { session in
      update?.tracker.session === session || trackers.contains { $0.session === session && $0.hasChanges }
    }.inOrder { one, other in
      // Data stores last: a rollback by SQLite cannot undo what a data store has saved.
      if (one.store.backend == nil) != (other.store.backend == nil) { return one.store.backend == nil }
      return one.store.identifier < other.store.identifier
    }
  }

  /// Writes to one store after the other, and commits when everything is written: a failed write undoes all of it. Partial
  /// commits have two causes: a disk that fails between two commits, and the second of two data stores that refuses.
  ///
  /// - Parameter handings: The requests that data stores receive once all rows are written. A save that is retried because of
  ///   a row must not have sent any of them.
  private func writeAndCommit(
    to sessions: ArraySlice<StoreSession>, _ update: BatchUpdateWriter?, _ refuse: CommitChecks,
    _ handings: [SaveDelegation], _ outcome: inout SaveOutcome
  ) throws {
    guard let session = sessions.first else {
      for delegation in handings { try delegation.save() }
      return
    }
    // From here until the changes are published, a live query reads the store itself.
    var isUnderWay = false
    defer { if isUnderWay { session.store.observers.endCommit() } }
    var failure: (any Error)?
    let entityWriter = try StoreError.mapErrors(session.store.errorURL, "saving") {
      try withFreshRelatedRows(session) { asked in
        try session.write { connection in
          let written = try writeStore(session, connection, update, refuse, asked)
          let others = sessions.dropFirst()
          guard let delegation = written.delegation else {
            let entityWriter = try finishStore(written, connection, update)
            try writeAndCommit(to: others, update, refuse, handings, &outcome)
            session.store.observers.beginCommit()
            isUnderWay = true
            return entityWriter
          }
          // Commit observers may refuse the save, so they are asked before a data store keeps it.
          let preliminary = changes(of: written, update)
          if !preliminary.isEmpty { try session.store.observers.willCommit(preliminary, on: connection) }
          do {
            try writeAndCommit(to: others, update, refuse, handings + [delegation], &outcome)
          } catch {
            guard delegation.isSavedByStore else { throw error }
            // The data store has kept the save, whatever the other stores' results.
            failure = error
          }
          let entityWriter = try finishStore(written, connection, update)
          session.store.observers.beginCommit()
          isUnderWay = true
          return entityWriter
        }
      }
    }
    entityWriter.delegation?.releaseDeleted(entityWriter.changes)
    isUnderWay = false
    outcome.committed.append(entityWriter)
    if let failure { throw failure }
  }

  /// The rows written to one store, before observers are notified.
  private struct WrittenStore {
    let session: StoreSession
    let entityWriters: [EntityWriter]
    let changedValues: ChangedIndexedValues
    let delegation: SaveDelegation?
  }

  /// - Parameter asked: The related rows that the data store was asked for since it was locked.
  private func writeStore(
    _ session: StoreSession, _ connection: Connection, _ update: BatchUpdateWriter?, _ refuse: CommitChecks,
    _ asked: Set<RelatedRow>
  ) throws -> WrittenStore {
    let trackers = self.trackers.filter { $0.session === session }
    let update = update?.tracker.session === session ? update : nil
    let relationshipWriter = RelationshipWriter(self, trackers, connection)
    try relationshipWriter.assignOrders()
    let delegation = try beginDelegation(session, connection, update)
    let changed = trackers.filter(\.hasChanges)
    let lateEdits = ReentrantEdits.arePossible(in: changed) ? ReentrantEdits() : nil
    var entityWriters = changed.map { EntityWriter($0, connection: connection, relationshipWriter, lateEdits) }
    let touched = try ChangedIndexedValues(trackers, session.store, connection)
    try writeEntities(entityWriters, lateEdits)
    try reinsertedRows.writeVersions(to: session, entityWriters, connection)
    try relationshipWriter.writeRelationships(entityWriters)
    if entityWriters.contains(where: { !$0.resolvedUpserts.isEmpty }) {
      var ends = UpsertedOneToOneResolver(self, entityWriters, relationshipWriter, connection)
      try ends.resolve()
      entityWriters = ends.entityWriters
      try UpsertedToManyResolver(self, entityWriters, relationshipWriter, connection).retractUnchanged()
    }
    for entityWriter in entityWriters { try entityWriter.writeExternalValues() }
    try update?.write(on: connection)
    if connection.hasForeignKeyViolations { try refuse.checkReferences(trackers, connection) }
    if refuse.detectsConflicts { try checkOneToOneConflicts(of: entityWriters, on: connection) }
    try delegation?.prepareRequest(entityWriters, relationshipWriter, asked)
    return WrittenStore(session: session, entityWriters: entityWriters, changedValues: touched, delegation: delegation)
  }

  private func writeEntities(_ entityWriters: [EntityWriter], _ lateEdits: ReentrantEdits?) throws {
    guard let lateEdits else { return try EntityWriter.write(entityWriters) }
    self.reentrantEdits = lateEdits
    defer { self.reentrantEdits = nil }
    do {
      try EntityWriter.write(entityWriters)
    } catch {
      try lateEdits.finish(entityWriters, isComplete: false)
      throw error
    }
    try lateEdits.finish(entityWriters, isComplete: true)
  }

  private func changes(of written: WrittenStore, _ update: BatchUpdateWriter?) -> ChangeSet {
    let update = update?.tracker.session === written.session ? update : nil
    let entities = written.entityWriters.map(\.changes).filter { !$0.isEmpty }
    return ChangeSet(entities: update?.merged(into: entities) ?? entities, author: author)
  }

  private func finishStore(_ written: WrittenStore, _ connection: Connection, _ update: BatchUpdateWriter?) throws
    -> CommittedChanges
  {
    let session = written.session
    var changes = changes(of: written, update)
    try written.changedValues.record(in: &changes)
    // Rows that a data store returns are no transaction of this process.
    let recordsHistory = session.store.backend == nil || !options.isInternal
    try session.store.finishTransaction(
      &changes, on: connection, recordsHistory: recordsHistory, notifiesObservers: written.delegation == nil)
    return CommittedChanges(
      session: session, entityWriters: written.entityWriters, changes: changes, delegation: written.delegation)
  }

  private func beginDelegation(
    _ session: StoreSession, _ connection: Connection, _ update: BatchUpdateWriter?
  ) throws -> SaveDelegation? {
    // Rows that a data store returned are already in that store.
    guard let backing = session.store.dataStoreBackend, !options.isInternal else { return nil }
    return try SaveDelegation(backing, self, session, connection, update)
  }
}
