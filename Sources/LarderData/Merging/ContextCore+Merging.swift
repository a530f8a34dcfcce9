import LarderSQLite
import LarderSupport

// Merging the commits of other contexts: objects in memory are refreshed from their rows.

extension _ContextCore {
  /// Merges the waiting commits; only reads a flag if there are none.
  package func mergeRemoteChangesIfNeeded() {
    // Not during a save or other work, whose rows must not change meanwhile.
    guard hasRemoteChanges, !isSaving, !isDeferringNotifications, !servesStorageBackend else {
      if relationMarks.generation != relationMarks.mergedGeneration { _ = hasReadAhead() }
      return
    }
    mergeRemoteChanges()
    // The merge may have ended edits: refresh the objects that were stale because of them.
    if refreshesStaleRows { mergeRemoteChanges() }
  }

  /// Whether waiting commits are merged before a relationship changes: both ends must be of one commit, and a change of a
  /// to-many is applied to the current list.
  @inline(__always)
  func needsMerge(before owner: any PersistentModel, _ relationship: RelationshipLayout) -> Bool {
    guard hasRemoteChanges else { return false }
    // Setting a one-to-one reads the row of the former partner, with a move that another context has saved; the merge would not
    // find that move any more.
    return relationship.isToMany || relationship.inverse?.isToMany == false
      || relationMarks.generation != relationMarks.mergedGeneration
  }

  /// Merges the waiting commits before a relationship changes.
  ///
  /// - Parameter others: The new related objects.
  /// - Returns: The deleted ends; `nil` if no commit was merged.
  /// - Throws: ``SaveError`` if another context has deleted the new object of a to-one, unless the merge policy prefers the
  ///   stored value; or the owner of the relationship, if the merge policy is ``MergePolicy/error``.
  @inline(__always)
  func mergeRemoteChanges(
    before owner: any PersistentModel, _ tracker: _EntityTracker, _ relationship: RelationshipLayout,
    to others: @autoclosure () -> [any PersistentModel]
  ) throws -> DeletedEnds? {
    if !needsMerge(before: owner, relationship) || isPropagatingDeletions { return nil }
    return try performMerge(before: owner, tracker, relationship, others())
  }

  /// The objects of a relationship to be changed that a merge found deleted.
  struct DeletedEnds {
    /// Whether the owner of the relationship was deleted: the change is dropped with it.
    var isOwnerDeleted = false
    /// The deleted objects among the new related ones.
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
    // A commit may have made objects reference an object deleted here. The delete rule may delete them too, or remove them.
    try propagateDeletions()
    var gone = DeletedEnds(targets: present.filter { !isPresent($0) })
    if wasHere, !isPresent(owner) {
      gone.isOwnerDeleted = true
      if mergePolicy == .error { throw own.remoteDeletionError(row) }
      recordDroppedEdits(own, row)
      return gone
    }
    // Another context's deletion removes an object from a list. A deletion here follows the delete rule of the relationship.
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

  /// Whether an object is in this context, and its deletion is not pending.
  func isPresent(_ model: any PersistentModel) -> Bool {
    model._$header.pointee.tracker?.core === self && !model._$header.pointee.status.contains(.deleted)
  }

  /// Looks for commits of other processes in the stores, unless the context has looked a moment ago.
  @inline(__always)
  func pollExternalCommits() throws {
    if isSaving || servesStorageBackend { return }
    for session in sessions { try session.pollExternalCommits() }
  }

  /// Looks for commits of other processes in the stores, even if the context has looked a moment ago.
  func pollExternalCommitsNow() throws {
    if servesStorageBackend { return }
    for session in sessions { try session.pollExternalCommitsNow() }
  }

  var hasRemoteChanges: Bool { refreshesStaleRows || remoteChanges.hasChanges }

  /// Whether rows and lists in memory may belong to commits that the context has not merged: a commit can be read before it is
  /// delivered to this context, and a delivered commit waits. If neither is the case, records that all commits are merged: a
  /// save that changed no row delivers nothing.
  func hasReadAhead() -> Bool {
    if mayReadAhead || refreshesStaleRows || isMerging { return true }
    relationMarks.recordMerge(relationMarks.generation)
    return false
  }

  /// Whether a read may see a commit of another context that is not delivered yet, or was delivered just now.
  private var mayReadAhead: Bool {
    // In this order: a commit that is no longer in flight has been delivered.
    sessions.contains { $0.store.observers.isCommitInFlight } || remoteChanges.hasChanges
  }

  /// Schedules the refresh of stale objects, after their edits were saved or rolled back, or the merge policy changed.
  func scheduleStaleRefresh() { refreshesStaleRows = trackers.contains { !$0.staleRows.isEmpty } }

  /// Merges the waiting commits. Never throws: rows that cannot be read now are read by the next fetch, which can throw.
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

  /// Schedules another attempt after a delay, if the context has a scheduler: no fetch or save may follow.
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
      // No object is in memory, so none is stale.
      for session in sessions { session.checkRemoteCommits() }
      relationMarks.recordMerge(relationMarks.generation)
      return
    }
    let wasMerging = activity.set(.merging, to: true)
    defer { _ = activity.set(.merging, to: wasMerging) }
    try propagateDeletions()
    // From here on lists are loaded anew, and rows are current.
    for session in sessions { try session.read { _ in } }
    relationMarks.invalidateToManysAheadOfMerge()
    // A commit since the queue was drained may have been read, and waits.
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
    // Other contexts may have related rows to rows that are deleted here.
    if trackers.contains(where: { !$0.deletedRows.isEmpty && $0.isRelated }) { try repropagateDeletions() }
    try mergeEditedRelationships(isChanged)
    try notifyRelationshipObservers(isChanged)
    relationMarks.recordMerge(generation, isComplete: isWhole)
    #if DEBUG
      // After another commit meanwhile, rows and lists may be of different commits.
      _ = activity.set(.merging, to: false)
      if commits == _totalCommitCount {
        OperationInvariants.check(self, changed.flatMap { $0.tracker._instances($0.rows) })
      }
      _checkInvariants()
    #endif
  }

  /// Returns the changed rows, by the tracker that has their instances.
  private func changedRows(
    _ mail: RemoteChangeQueue.Batch, _ leftBehind: RowsByTracker
  ) -> [(tracker: _EntityTracker, rows: [Int64])] {
    if mail.hasOverflowed { return trackers.filter { $0.topmost == nil }.map { ($0, $0.instanceRows) } }
    var changed = leftBehind
    for entity in mail.changes.lazy.flatMap(\.entities) {
      guard let tracker = existingTracker(for: entity.layout.root) else { continue }
      // An inserted row may have the row ID of a former object.
      let rows = entity.updated.map(\.row) + entity.deleted + entity.inserted
      changed[ObjectIdentifier(tracker), default: (tracker, [])].rows += rows
    }
    return changed.values.inOrder { $0.tracker.layout.id < $1.tracker.layout.id }
  }
}

extension _ContextCore {
  fileprivate typealias RowsByTracker = [ObjectIdentifier: (tracker: _EntityTracker, rows: [Int64])]

  /// Returns the stale objects that may be refreshed, and clears their marks.
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
  /// Marks a row as stale, so that its object is refreshed once it is no longer edited.
  func markStale(_ row: Int64) { root.staleRows.insert(row) }

  /// The number of rows that one statement reads.
  private static let refreshBatchSize = 1_024

  /// Refreshes the instances of rows that are in memory.
  fileprivate func refreshInstances(_ rows: [Int64], _ vanishing: inout RemoteDeletions) throws {
    let present = Set(rows.filter(hasInstance)).inOrder()
    for start in stride(from: 0, to: present.count, by: _EntityTracker.refreshBatchSize) {
      let batch = present[start..<min(start + _EntityTracker.refreshBatchSize, present.count)]
      let found = try refresh(Array(batch))
      // Another context may have inserted some of the deleted rows again.
      if !root.staleDeletedRows.isEmpty { root.staleDeletedRows.subtract(found) }
      for row in batch where !found.contains(row) {
        if let object = find(row) { vanishing.add(erased(object)) }
      }
    }
  }

  /// - Returns: The rows that exist.
  private func refresh(_ rows: [Int64]) throws -> Set<Int64> {
    do {
      return Set(try core.refresh(rows, self).map { $0._$header.pointee.rowID })
    } catch let error as FetchError {
      // An object whose row cannot be read keeps its values; the other objects are still refreshed.
      guard rows.count > 1 else {
        Log.warning("What others saved cannot be read. \(error)")
        return Set(rows)
      }
      let half = rows.count / 2
      return try refresh(Array(rows[..<half])).union(refresh(Array(rows[half...])))
    }
  }
}
