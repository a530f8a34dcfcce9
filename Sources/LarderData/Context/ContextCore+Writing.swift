import LarderSQLite
import LarderSupport

// The part of a save that writes: tried again where others have changed the rows, and in one transaction for each store.

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
      // Others may have deleted what is referred to here, or related rows to those that are deleted here, after the save
      // had looked.
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

  /// What of that which is written may not be committed.
  private struct CommitChecks {
    /// Called where a row of some model would refer to one that is not there.
    let checkReferences: ([_EntityTracker], Connection) throws -> Void
    /// Whether ``OneToOneConflict`` are looked for.
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

  /// A store that failed, with what is saved nevertheless, since others had committed.
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

  /// The stores that something is written to. All contexts take them in the same order, so that no two wait for each other.
  private func sessionsToWrite(for update: BatchUpdateWriter?) -> [StoreSession] {
    if sessions.count == 1 { return sessions }
    return sessions.filter { session in
      update?.tracker.session === session || trackers.contains { $0.session === session && $0.hasChanges }
    }.inOrder { one, other in
      // Data stores last: what they have saved is not taken back by what SQLite refuses.
      if (one.store.backend == nil) != (other.store.backend == nil) { return one.store.backend == nil }
      return one.store.identifier < other.store.identifier
    }
  }

  /// Writes to one store after the other, and commits when everything is written: whatever refuses to be written undoes all
  /// of it. Only a disk that fails between two commits leaves one of them, or the second of two data stores that refuses.
  ///
  /// - Parameter handings: What data stores are handed once all rows are written. A save that begins anew for a row's sake
  ///   must not have been handed to anybody.
  private func writeAndCommit(
    to sessions: ArraySlice<StoreSession>, _ update: BatchUpdateWriter?, _ refuse: CommitChecks,
    _ handings: [SaveDelegation], _ outcome: inout SaveOutcome
  ) throws {
    guard let session = sessions.first else {
      for delegation in handings { try delegation.save() }
      return
    }
    // From here until it is published, who asks for what is live looks at the store himself.
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
          // Whoever may refuse the save is asked before a store keeps it.
          let preliminary = changes(of: written, update)
          if !preliminary.isEmpty { try session.store.observers.willCommit(preliminary, on: connection) }
          do {
            try writeAndCommit(to: others, update, refuse, handings + [delegation], &outcome)
          } catch {
            guard delegation.isSavedByStore else { throw error }
            // The store has kept it, whatever became of the others.
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

  /// What was written to a store, before others are told of it.
  private struct WrittenStore {
    let session: StoreSession
    let entityWriters: [EntityWriter]
    let changedValues: ChangedIndexedValues
    let delegation: SaveDelegation?
  }

  /// - Parameter asked: What the data store behind the rows was asked for since it is held.
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
    // Rows that a data store has answered with are no transaction of this process.
    let recordsHistory = session.store.backend == nil || !options.isInternal
    try session.store.finishTransaction(
      &changes, on: connection, recordsHistory: recordsHistory, notifiesObservers: written.delegation == nil)
    return CommittedChanges(
      session: session, entityWriters: written.entityWriters, changes: changes, delegation: written.delegation)
  }

  private func beginDelegation(
    _ session: StoreSession, _ connection: Connection, _ update: BatchUpdateWriter?
  ) throws -> SaveDelegation? {
    // What a store has answered with is in it.
    guard let backing = session.store.dataStoreBackend, !options.isInternal else { return nil }
    return try SaveDelegation(backing, self, session, connection, update)
  }
}
