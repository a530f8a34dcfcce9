import LarderSupport

extension ModelContext {
  /// Registers the specified model with the context, so that fetches include it at once and the next save writes it.
  ///
  /// A model that is already in this context stays unchanged. If its deletion is pending, the deletion is cancelled. A model of
  /// another context, or of an entity that the container does not store, is not inserted. An insert cannot throw, so the next
  /// ``save()`` throws the error.
  ///
  /// - Parameter model: The model to insert.
  public func insert<T>(_ model: T) where T: PersistentModel {
    core.checkIsolation("insert(_:)")
    if model._$header.pointee.tracker?.core === core { core.cancelDeletion(of: model) } else { core.reinsert(model) }
  }

  /// Marks a model as deleted, so that fetches omit it at once and the next save removes its row.
  ///
  /// A model that was never saved leaves the context at once. A model that belongs to no context stays unchanged. A model of
  /// another context is not deleted. A deletion cannot throw, so the next ``save()`` throws the error.
  ///
  /// - Parameter model: The model to delete.
  public func delete<T>(_ model: T) where T: PersistentModel {
    core.checkIsolation("delete(_:)")
    // The delete rules apply to the current relationships, so merge other contexts' commits first.
    core.mergeRemoteChanges(beforeDeleting: model)
    core.delete(model)
  }

  /// Saves all pending changes, or none of them.
  ///
  /// ```swift
  /// trip.name = "Paris"
  /// try context.save()
  /// ```
  ///
  /// - Throws: ``SaveError`` if a model cannot be saved as it is, ``StoreError`` if the store cannot be written. In both cases
  ///   nothing was written and all changes are still pending. The exception is a container with several stores, where a disk may
  ///   fail after one store has committed: the changes in that store are saved, and the others stay pending.
  public func save() throws {
    core.checkIsolation("save()")
    try core.save()
  }

  /// Drops all pending changes: inserted models leave the context, edited models get their former values back, and deleted
  /// models are restored.
  public func rollback() {
    core.checkIsolation("rollback()")
    core.rollback()
  }

  /// Runs the block, then saves the context.
  ///
  /// The context writes nothing before the block returns: a ``save()`` in the block is deferred to the end. A transaction within
  /// the block is part of this one. If the inner transaction throws, its changes are undone; this one continues if the block
  /// catches the error.
  ///
  /// ```swift
  /// try context.transaction {
  ///   account.balance -= 10
  ///   other.balance += 10
  /// }
  /// ```
  ///
  /// - Parameter block: A closure that changes models.
  /// - Throws: The error of the block or of the save. All pending changes of the context are then rolled back, including those
  ///   from before the block. ``SaveError/Code/transactionRolledBack`` if a ``rollback()`` in the block has dropped changes
  ///   that a save or an inner transaction was to keep.
  public func transaction(block: () throws -> Void) throws {
    core.checkIsolation("transaction(block:)")
    try core.transaction(block)
  }

  /// Ends the current step of ``undoManager``, and updates live results with the pending changes. Fetches include changes as
  /// soon as they are made.
  public func processPendingChanges() {
    core.checkIsolation("processPendingChanges()")
    for one in core.participants { one.processPendingChanges() }
  }

  /// The models that were inserted and are not saved yet.
  public var insertedModelsArray: [any PersistentModel] {
    core.trackersAfterPropagation.flatMap { $0.models($0.inserted) }
  }

  /// The stored models with unsaved edits.
  public var changedModelsArray: [any PersistentModel] {
    core.trackersAfterPropagation.flatMap { tracker in tracker.models(tracker.changed).filter { !$0.isDeleted } }
  }

  /// The models whose deletion is not saved yet.
  public var deletedModelsArray: [any PersistentModel] {
    core.trackersAfterPropagation.flatMap { $0.models($0.deleted) }
  }
}

extension _EntityTracker {
  func models(_ objects: [AnyObject]) -> [any PersistentModel] { models(objects, layout.type) }

  private func models<Model: PersistentModel>(_ objects: [AnyObject], _ type: Model.Type) -> [any PersistentModel] {
    objects.map { unsafeDowncast($0, to: Model.self) }
  }

  /// Removes the instances whose deletion was cancelled.
  func removeRestoredInstances() { removeRestoredInstances(layout.type) }

  private func removeRestoredInstances<Model: PersistentModel>(_ type: Model.Type) {
    deleted.removeAll { !unsafeDowncast($0, to: Model.self)._$header.pointee.status.contains(.deleted) }
  }
}

extension _ContextCore {
  /// Marks a model as deleted on an explicit request; a model that was never saved leaves the context at once.
  func delete<Model: PersistentModel>(_ model: Model) {
    guard let tracker = model._$header.pointee.tracker else { return rejectDeletion(of: model) }
    guard tracker.core === self else {
      return reject(model, "deleted", because: "belongs to another context. Fetch it here by its identifier")
    }
    // A call from a type's own coding, during other work, is deferred until that work is done.
    if isDeferringNotifications { return relationships.deferredRequests.append(.delete(model)) }
    tracker.recordExplicitDeletion(of: model._$header.pointee.rowID)
    tracker.delete(model)
    discardDeletedInserts()
  }

  /// Rejects the deletion of a stored model in no context. A model that was never saved, or is already deleted, needs none.
  private func rejectDeletion(of model: any PersistentModel) {
    let header = model._$header
    // Another instance represents its row.
    guard header.pointee.status.contains(.stored), header.pointee.rowID > 0 else { return }
    reject(
      model, "deleted", because: "is in no context: another object stands for its row. Fetch that by its identifier")
  }
}

extension _ContextCore {
  /// The trackers of the entities, after pending deletions were propagated to all related objects.
  fileprivate var trackersAfterPropagation: [_EntityTracker] {
    do {
      try propagateDeletions()
    } catch {
      Log.warning("Objects related to deleted ones could not be looked for. \(error)")
      if pendingError == nil { pendingError = error }
    }
    return trackers
  }

  /// Drops pending changes when the public context is released, since pending objects and the core hold each other.
  func abandon() {
    // A save posts notifications with a temporary context, which is released again.
    if isOrphaned { return }
    markOrphaned()
    defer { breakRetainCycles() }
    guard hasChanges else {
      // State in memory only is no change, but is recorded for a rollback.
      for tracker in trackers { tracker.discardRelationshipChanges() }
      return
    }
    if autosaveEnabled {
      do {
        try save()
        return
      } catch {
        Log.warning("The changes of a context that went could not be saved and are dropped. \(error)")
      }
    } else {
      Log.warning(
        "A context went with unsaved changes, which are dropped. Call save(), or set autosaveEnabled to true.")
    }
    deferringNotifications { _ = rollBackTrackers() }
  }
}
