import LarderSQLite
import LarderSupport

// Taking over what others saved: objects in hand get the values that their rows have by now.

extension _ContextCore {
  /// Takes over what waits; a look at a flag where nothing does.
  package func mergeRemoteChangesIfNeeded() {
    // Not in the midst of a save, or of other work: what that has read is to stay as it is.
    guard hasRemoteChanges, !isSaving, !isDeferringNotifications, !servesStorageBackend else {
      if relationMarks.generation != relationMarks.mergedGeneration { _ = hasReadAhead() }
      return
    }
    mergeRemoteChanges()
    // Edits that have ended by it: what was left behind for their sake is brought in step at once.
    if refreshesStaleRows { mergeRemoteChanges() }
  }

  /// Whether what waits is taken over before a relationship is changed: what is known of both ends is to be of one commit, and
  /// a change of a to-many is applied to the list as it is by then.
  @inline(__always)
  func needsMerge(before owner: any PersistentModel, _ relationship: RelationshipLayout) -> Bool {
    guard hasRemoteChanges else { return false }
    // Setting a one-to-one reads the row of the former partner, with a move that another context has saved; the merge would not
    // find that move any more.
    return relationship.isToMany || relationship.inverse?.isToMany == false
      || relationMarks.generation != relationMarks.mergedGeneration
  }

  /// Takes over what waits before a relationship is changed.
  ///
  /// - Parameter others: What it is to lead to.
  /// - Returns: What is gone by it; nil where nothing was taken over.
  /// - Throws: ``SaveError``, where others have deleted what a to-one is to lead to, unless the merge policy lets the stored
  ///   value win; or the object whose relationship it is, where the merge policy is ``MergePolicy/error``.
  @inline(__always)
  func mergeRemoteChanges(
    before owner: any PersistentModel, _ tracker: _EntityTracker, _ relationship: RelationshipLayout,
    to others: @autoclosure () -> [any PersistentModel]
  ) throws -> DeletedEnds? {
    if !needsMerge(before: owner, relationship) || isPropagatingDeletions { return nil }
    return try performMerge(before: owner, tracker, relationship, others())
  }

  /// What is gone of a relationship that is about to be changed.
  struct DeletedEnds {
    /// Whether the object whose relationship it is has gone: the change goes with it.
    var isOwnerDeleted = false
    /// Those that it was to lead to.
    var targets: [any PersistentModel] = []
  }

  @inline(never)
  private func performMerge(
    before owner: any PersistentModel, _ tracker: _EntityTracker, _ relationship: RelationshipLayout,
    _ others: [any PersistentModel]
  ) throws -> DeletedEnds {
    let own = tracker.concreteTracker(owner)
    let present = others.filter(isPresent)
    let (wasHere, row) = (isPresent(owner), owner._$header.pointee.rowID)
    let seen = VersionSnapshot([owner] + others, in: self)
    mergeRemoteChangesIfNeeded()
    seen.restore()
    // What others have led to an object that is deleted here may be deleted with it, and leaves by itself, too.
    try propagateDeletions()
    var gone = DeletedEnds(targets: present.filter { !isPresent($0) })
    if wasHere, !isPresent(owner) {
      gone.isOwnerDeleted = true
      if mergePolicy == .error { throw own.remoteDeletionError(row) }
      recordDroppedEdits(own, row)
      return gone
    }
    // What others have deleted leaves a list by itself. What is deleted here follows the delete rule of the relationship.
    guard !relationship.isToMany, mergePolicy != .mergeByPropertyStoreTrump, let other = gone.targets.first,
      isDeletedRemotely(other)
    else {
      return gone
    }
    let there = try self.tracker(for: type(of: other)._$layout)
    let otherRow = other._$header.pointee.rowID
    throw SaveError(
      .referencedRowDeleted, entityName: own.layout.entityName, properties: [relationship.name],
      identifiers: [own.savedIdentifier(row), there.savedIdentifier(otherRow)],
      "\(own.layout.entityName) \(row) would refer by \(relationship.name) to \(there.layout.entityName) \(otherRow), which "
        + "was deleted elsewhere. Roll back. Nothing was written.")
  }

  /// Whether an object is in this context, and is to stay.
  func isPresent(_ model: any PersistentModel) -> Bool {
    model._$header.pointee.tracker?.core === self && !model._$header.pointee.status.contains(.deleted)
  }

  /// Looks for what other processes have committed to the stores.
  @inline(__always)
  func pollExternalCommits() throws {
    if isSaving || servesStorageBackend { return }
    for session in sessions { try session.pollExternalCommits() }
  }

  /// The same, whatever the context has read a moment ago.
  func pollExternalCommitsNow() throws {
    if servesStorageBackend { return }
    for session in sessions { try session.pollExternalCommitsNow() }
  }

  var hasRemoteChanges: Bool { refreshesStaleRows || remoteChanges.hasChanges }

  /// Whether rows and lists in memory may be of commits that the context has not taken over: a commit can be read before its
  /// context has delivered it, and what has been delivered waits. Where there is none of the two, notes that all is taken over;
  /// of a save of what was stored already, nothing is delivered.
  func hasReadAhead() -> Bool {
    if mayReadAhead || refreshesStaleRows || isMerging { return true }
    relationMarks.recordMerge(relationMarks.generation)
    return false
  }

  /// Whether a read may see a commit of others that does not wait to be taken over yet, or that came to wait just now.
  private var mayReadAhead: Bool {
    // In this order: what is not under way any more has been delivered.
    sessions.contains { $0.store.observers.isCommitInFlight } || remoteChanges.hasChanges
  }

  /// Edits have been saved, or rolled back, or another policy applies to them: objects that were left behind for their sake
  /// are brought in step.
  func scheduleStaleRefresh() { refreshesStaleRows = trackers.contains { !$0.staleRows.isEmpty } }

  /// Never throws: what cannot be read now is read with the next fetch, which can.
  @inline(never)
  func mergeRemoteChanges() {
    deferringNotifications { mergeDeferringNotifications() }
    if !isDeferringNotifications { for one in participants { one.didNotifyMerge() } }
  }

  private func mergeDeferringNotifications() {
    let told = participants
    for one in told { one.willMerge() }
    defer { for one in told.reversed() { one.didFinishMerge() } }
    defer { markAllRowsChanged() }
    let mail = remoteChanges.drain()
    let leftBehind = drainStaleRows()
    do {
      try mergeBatch(mail, leftBehind)
      mergeBackoff.recordSuccess()
    } catch {
      Log.warning("What others saved could not be read, and is read with the next fetch. \(error)")
      remoteChanges.requeue(mail)
      for (tracker, rows) in leftBehind.values { tracker.staleRows.formUnion(rows) }
      scheduleStaleRefresh()
      scheduleMergeRetry()
    }
  }

  /// Nobody may fetch or save any more: where the context is reached by itself it tries again after a while.
  private func scheduleMergeRetry() {
    guard let scheduler, let seconds = mergeBackoff.recordFailure() else { return }
    scheduler.schedule(after: seconds) { [weakHandle] in
      guard let core = weakHandle.object else { return }
      core.mergeBackoff.beginRetry()
      core.mergeRemoteChangesIfNeeded()
    }
  }

  private func mergeBatch(_ mail: RemoteChangeQueue.Batch, _ leftBehind: RowsByTracker) throws {
    if objectCount == 0 {
      // Nothing in memory is of a commit at all.
      for session in sessions { session.checkRemoteCommits() }
      relationMarks.recordMerge(relationMarks.generation)
      return
    }
    let wasMerging = activity.set(.merging, to: true)
    defer { _ = activity.set(.merging, to: wasMerging) }
    try propagateDeletions()
    // From here on lists are loaded anew, and rows are as they are by now.
    for session in sessions { try session.read { _ in } }
    relationMarks.invalidateToManysAheadOfMerge()
    // What has been committed since the mail was taken may have been read, and waits.
    let (generation, isWhole) = (relationMarks.generation, !mayReadAhead)
    #if DEBUG
      let commits = _totalCommitCount
      relationMarks.hasReadAhead = false
    #endif
    let changed = changedRows(mail, leftBehind)
    recordRemoteChanges(mail)
    defer { clearRemoteChanges() }
    var vanishing = RemoteDeletions(self)
    for (tracker, rows) in changed { try tracker.refreshInstances(rows, &vanishing) }
    try vanishing.apply()
    for tracker in trackers { tracker.removeUnchanged() }
    if !hasChanges { didClearChanges() }
    let models = Set(changed.map { ObjectIdentifier($0.tracker) })
    let isChanged: (_EntityTracker) -> Bool = { mail.hasOverflowed || models.contains(ObjectIdentifier($0)) }
    // Others may have related rows to those that are deleted here.
    if trackers.contains(where: { !$0.deletedRows.isEmpty && $0.isRelated }) { try repropagateDeletions() }
    try mergeEditedRelationships(isChanged)
    try notifyRelationshipObservers(isChanged)
    relationMarks.recordMerge(generation, isComplete: isWhole)
    #if DEBUG
      // After another commit meanwhile, rows and lists may be of different ones.
      _ = activity.set(.merging, to: false)
      if commits == _totalCommitCount {
        OperationInvariants.check(self, changed.flatMap { $0.tracker._instances($0.rows) })
      }
      _checkInvariants()
    #endif
  }

  /// The rows in question, by the state that has their instances.
  private func changedRows(
    _ mail: RemoteChangeQueue.Batch, _ leftBehind: RowsByTracker
  ) -> [(tracker: _EntityTracker, rows: [Int64])] {
    if mail.hasOverflowed { return trackers.filter { $0.topmost == nil }.map { ($0, $0.instanceRows) } }
    var changed = leftBehind
    for entity in mail.changes.lazy.flatMap(\.entities) {
      guard let tracker = existingTracker(for: entity.layout.root) else { continue }
      // A row that was inserted may have been another object's before.
      let rows = entity.updated.map(\.row) + entity.deleted + entity.inserted
      changed[ObjectIdentifier(tracker), default: (tracker, [])].rows += rows
    }
    return changed.values.inOrder { $0.tracker.layout.id < $1.tracker.layout.id }
  }
}

extension _ContextCore {
  fileprivate typealias RowsByTracker = [ObjectIdentifier: (tracker: _EntityTracker, rows: [Int64])]

  /// The objects that may be brought in step by now; they do not count as left behind any more.
  private func drainStaleRows() -> RowsByTracker {
    guard refreshesStaleRows else { return [:] }
    refreshesStaleRows = false
    var rows: RowsByTracker = [:]
    for tracker in trackers where !tracker.staleRows.isEmpty {
      rows[ObjectIdentifier(tracker)] = (tracker, Array(tracker.staleRows))
      tracker.staleRows = []
      tracker.staleDeletedRows = []
    }
    return rows
  }
}

extension _EntityTracker {
  /// Notes that an object has not the values of its row, to have it look again when it is not edited any more.
  func markStale(_ row: Int64) { root.staleRows.insert(row) }

  /// How many rows are read by one statement.
  private static let refreshBatchSize = 1_024

  /// Gives the instances of rows, as far as there are some, the values that the rows have by now.
  fileprivate func refreshInstances(_ rows: [Int64], _ vanishing: inout RemoteDeletions) throws {
    let present = Set(rows.filter(hasInstance)).inOrder()
    for start in stride(from: 0, to: present.count, by: _EntityTracker.refreshBatchSize) {
      let batch = present[start..<min(start + _EntityTracker.refreshBatchSize, present.count)]
      let found = try refresh(Array(batch))
      // Others may have brought some back.
      if !root.staleDeletedRows.isEmpty { root.staleDeletedRows.subtract(found) }
      for row in batch where !found.contains(row) {
        if let object = find(row) { vanishing.add(erased(object)) }
      }
    }
  }

  /// - Returns: Those of the rows that are there.
  private func refresh(_ rows: [Int64]) throws -> Set<Int64> {
    do {
      return Set(try core.refresh(rows, self).map { $0._$header.pointee.rowID })
    } catch let error as FetchError {
      // An object whose row cannot be read stays as it is; the others do not suffer for it.
      guard rows.count > 1 else {
        Log.warning("What others saved cannot be read. \(error)")
        return Set(rows)
      }
      let half = rows.count / 2
      return try refresh(Array(rows[..<half])).union(refresh(Array(rows[half...])))
    }
  }
}
