import LarderSQLite
import LarderSupport

// The part of a save that writes: tried again where others have changed the rows, and in one transaction for each store.

extension ContextCore {
  func write(_ update: BatchWriting?) throws -> SaveOutcome {
    var attempt = 0
    while true {
      do {
        return try writeResolving(update, refusesRivals: attempt < RivalRows.attempts)
      } catch let outdated as OutdatedRow {
        attempt += 1
        try settle(outdated, attempt: attempt)
      } catch let taken as TakenRows {
        attempt += 1
        try settle(taken, attempt: attempt)
      } catch let rivals as RivalRows {
        attempt += 1
        settle(rivals)
      }
      try validateRelations()
      saveBegins()
    }
  }

  private func writeResolving(_ update: BatchWriting?, refusesRivals: Bool) throws -> SaveOutcome {
    do {
      return try write(update, Refusal(references: { _, _ in throw UnresolvedReferences() }, rivals: refusesRivals))
    } catch is UnresolvedReferences {
      // Others may have deleted what is referred to here, or related rows to those that are deleted here, after the save
      // had looked.
      if hasOthersChanges, !worksForAStore { mergeOthers() }
      try spreadDeletionsAgain()
      try validateRelations()
      saveBegins()
      let references = { (states: [EntityState], connection: Connection) in
        try self.refuseGoneOwners(states, connection)
        if let error = try self.vanishedReference(states, connection) { throw error }
      }
      return try write(update, Refusal(references: references, rivals: refusesRivals))
    }
  }

  /// What of that which is written may not be committed.
  private struct Refusal {
    /// Called where a row of some model would refer to one that is not there.
    let references: ([EntityState], Connection) throws -> Void
    /// Whether ``RivalRows`` are looked for.
    let rivals: Bool
  }

  private func write(_ update: BatchWriting?, _ refuse: Refusal) throws -> SaveOutcome {
    var outcome = SaveOutcome()
    do {
      try write(to: sessions(concernedBy: update)[...], update, refuse, [], &outcome)
    } catch {
      if outcome.committed.isEmpty { throw error }
      outcome.failure = saying(error, after: outcome)
    }
    return outcome
  }

  /// A store that failed, with what is saved nevertheless, since others had committed.
  private func saying(_ error: any Error, after outcome: SaveOutcome) -> any Error {
    guard var error = error as? StoreError else { return error }
    let settled = outcome.savings.map(\.state)
    let saved = Set(outcome.committed.flatMap(\.changes.entities).map(\.layout.entityName)).inOrder()
    let pending = known.filter { state in state.hasChanges && !settled.contains { $0 === state } }
      .map(\.layout.entityName).inOrder()
    if saved.isEmpty || pending.isEmpty { return error }
    error.explanation +=
      " Another store had committed by then: what was changed of \(saved.joined(separator: ", ")) is saved, and what "
      + "was changed of \(pending.joined(separator: ", ")) stays pending. Save again when this is mended, or roll back."
    return error
  }

  /// The stores that something is written to. All contexts take them in the same order, so that no two wait for each other.
  private func sessions(concernedBy update: BatchWriting?) -> [StoreSession] {
    if sessions.count == 1 { return sessions }
    return sessions.filter { session in
      update?.state.session === session || known.contains { $0.session === session && $0.hasChanges }
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
  private func write(
    to sessions: ArraySlice<StoreSession>, _ update: BatchWriting?, _ refuse: Refusal,
    _ handings: [StoreHanding], _ outcome: inout SaveOutcome
  ) throws {
    guard let session = sessions.first else {
      for handing in handings { try handing.hand() }
      return
    }
    // From here until it is published, who asks for what is live looks at the store himself.
    var isUnderWay = false
    defer { if isUnderWay { session.store.observers.commitEnded() } }
    var failure: (any Error)?
    let saving = try StoreError.wrapping(session.store.errorURL, "saving") {
      try askingAgain(session) { asked in
        try session.write { connection in
          let written = try write(session, connection, update, refuse, asked)
          let others = sessions.dropFirst()
          guard let handing = written.handing else {
            let saving = try record(written, connection, update)
            try write(to: others, update, refuse, handings, &outcome)
            session.store.observers.commitBegins()
            isUnderWay = true
            return saving
          }
          // Whoever may refuse the save is asked before a store keeps it.
          let preliminary = changes(of: written, update)
          if !preliminary.isEmpty { try session.store.observers.willCommit(preliminary, on: connection) }
          do {
            try write(to: others, update, refuse, handings + [handing], &outcome)
          } catch {
            guard handing.isHanded else { throw error }
            // The store has kept it, whatever became of the others.
            failure = error
          }
          let saving = try record(written, connection, update)
          session.store.observers.commitBegins()
          isUnderWay = true
          return saving
        }
      }
    }
    saving.handing?.settle(saving.changes)
    isUnderWay = false
    outcome.committed.append(saving)
    if let failure { throw failure }
  }

  /// What was written to a store, before others are told of it.
  private struct Written {
    let session: StoreSession
    let savings: [EntitySaving]
    let touched: TouchedValues
    let handing: StoreHanding?
  }

  /// - Parameter asked: What the data store behind the rows was asked for since it is held.
  private func write(
    _ session: StoreSession, _ connection: Connection, _ update: BatchWriting?, _ refuse: Refusal,
    _ asked: Set<FarEnd>
  ) throws -> Written {
    let states = known.filter { $0.session === session }
    let update = update?.state.session === session ? update : nil
    let relationSaving = RelationSaving(self, states, connection)
    try relationSaving.prepare()
    let handing = try beginHanding(session, connection, update)
    let changed = states.filter(\.hasChanges)
    let lateEdits = LateEdits.areExpected(of: changed) ? LateEdits() : nil
    var savings = changed.map { EntitySaving($0, connection: connection, relationSaving, lateEdits) }
    let touched = try TouchedValues(states, session.store, connection)
    try write(savings, lateEdits)
    try returned.write(to: session, savings, connection)
    try relationSaving.finish(savings)
    if savings.contains(where: { !$0.unions.isEmpty }) {
      var ends = UnitedEnds(self, savings, relationSaving, connection)
      try ends.makeWay()
      savings = ends.savings
      try UnitedMembers(self, savings, relationSaving, connection).withdraw()
    }
    for saving in savings { try saving.writeExternals() }
    try update?.write(on: connection)
    if connection.hasUnresolvedReferences { try refuse.references(states, connection) }
    if refuse.rivals { try refuseRivals(of: savings, on: connection) }
    try handing?.wrote(savings, relationSaving, asked)
    return Written(session: session, savings: savings, touched: touched, handing: handing)
  }

  private func write(_ savings: [EntitySaving], _ lateEdits: LateEdits?) throws {
    guard let lateEdits else { return try EntitySaving.write(savings) }
    self.lateEdits = lateEdits
    defer { self.lateEdits = nil }
    do {
      try EntitySaving.write(savings)
    } catch {
      try lateEdits.end(savings, isWhole: false)
      throw error
    }
    try lateEdits.end(savings, isWhole: true)
  }

  private func changes(of written: Written, _ update: BatchWriting?) -> ChangeSet {
    let update = update?.state.session === written.session ? update : nil
    let entities = written.savings.map(\.changes).filter { !$0.isEmpty }
    return ChangeSet(entities: update?.joined(to: entities) ?? entities, author: author)
  }

  private func record(_ written: Written, _ connection: Connection, _ update: BatchWriting?) throws -> StoreSaving {
    let session = written.session
    var changes = changes(of: written, update)
    try written.touched.note(in: &changes)
    // Rows that a data store has answered with are no transaction of this process.
    let recordsHistory = session.store.backend == nil || !mode.isInternal
    try session.store.finish(
      &changes, on: connection, recordsHistory: recordsHistory, asksObservers: written.handing == nil)
    return StoreSaving(session: session, savings: written.savings, changes: changes, handing: written.handing)
  }

  private func beginHanding(
    _ session: StoreSession, _ connection: Connection, _ update: BatchWriting?
  ) throws -> StoreHanding? {
    // What a store has answered with is in it.
    guard let backing = session.store.backing, !mode.isInternal else { return nil }
    return try StoreHanding(backing, self, session, connection, update)
  }
}
