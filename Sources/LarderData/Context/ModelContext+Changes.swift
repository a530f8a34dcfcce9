import LarderSupport

extension ModelContext {
  /// Enters a model: it is part of this context's fetches at once, and of the store after the next save.
  ///
  /// A model that is in this context already stays as it is. One of which a deletion is pending is kept. A model of
  /// another context, or of a kind that the container does not store, is not inserted; an insert cannot throw, so the
  /// next ``save()`` does.
  public func insert<T>(_ model: T) where T: PersistentModel {
    core.checkIsolation("insert(_:)")
    if model._$header.pointee.tracker?.core === core { core.cancelDeletion(of: model) } else { core.reinsert(model) }
  }

  /// Marks a model as deleted: fetches leave it out at once, and the next save removes its row.
  ///
  /// A model that was never saved just leaves the context. One that belongs to no context stays as it is. One of another
  /// context is not deleted; a deletion cannot throw, so the next ``save()`` does.
  public func delete<T>(_ model: T) where T: PersistentModel {
    core.checkIsolation("delete(_:)")
    // What goes along with it is what it leads to by now.
    core.mergeRemoteChanges(beforeDeleting: model)
    core.delete(model)
  }

  /// Writes everything that is pending, whole or not at all.
  ///
  /// - Throws: ``SaveError`` where a model cannot be saved as it is, ``StoreError`` where the store cannot be written.
  ///   Either way nothing was written and everything is still pending; but for a container with several stores, where a
  ///   disk may fail when one has committed and another has not. What lies in the one is saved then, and the rest pending.
  public func save() throws {
    core.checkIsolation("save()")
    try core.save()
  }

  /// Drops everything that is pending: inserted models leave the context, edited ones have their former values again,
  /// deleted ones are back.
  public func rollback() {
    core.checkIsolation("rollback()")
    core.rollback()
  }

  /// Runs the block and saves.
  ///
  /// Nothing is written before the block has returned: a ``save()`` that it calls is the one at the end. A transaction within
  /// the block is part of this one. If it throws, what it did is taken back, and this one goes on if the block catches the
  /// error.
  ///
  /// - Throws: What the block or the save throws. Everything that is pending in the context is then rolled back, what was
  ///   pending before the block included. ``SaveError/Code/transactionRolledBack`` where a ``rollback()`` in the block has
  ///   dropped what a save or an inner transaction was to keep.
  public func transaction(block: () throws -> Void) throws {
    core.checkIsolation("transaction(block:)")
    try core.transaction(block)
  }

  /// Ends a step of what ``undoManager`` takes back, and brings live results up to date with what is pending. Fetches have
  /// changes as soon as they are made.
  public func processPendingChanges() {
    core.checkIsolation("processPendingChanges()")
    for one in core.participants { one.processPendingChanges() }
  }

  /// The models that were inserted and not yet saved.
  public var insertedModelsArray: [any PersistentModel] {
    core.trackersAfterPropagation.flatMap { $0.models($0.inserted) }
  }

  /// The models of the store with edits that are not saved.
  public var changedModelsArray: [any PersistentModel] {
    core.trackersAfterPropagation.flatMap { tracker in tracker.models(tracker.changed).filter { !$0.isDeleted } }
  }

  /// The models whose deletion is not yet saved.
  public var deletedModelsArray: [any PersistentModel] {
    core.trackersAfterPropagation.flatMap { $0.models($0.deleted) }
  }
}

extension _EntityTracker {
  func models(_ objects: [AnyObject]) -> [any PersistentModel] { models(objects, layout.type) }

  private func models<Model: PersistentModel>(_ objects: [AnyObject], _ type: Model.Type) -> [any PersistentModel] {
    objects.map { unsafeDowncast($0, to: Model.self) }
  }

  /// Forgets the instances whose deletion was taken back.
  func removeRestoredInstances() { removeRestoredInstances(layout.type) }

  private func removeRestoredInstances<Model: PersistentModel>(_ type: Model.Type) {
    deleted.removeAll { !unsafeDowncast($0, to: Model.self)._$header.pointee.status.contains(.deleted) }
  }
}

extension _ContextCore {
  /// Marks a model as deleted because somebody asks for it; one that was never saved leaves at once.
  func delete<Model: PersistentModel>(_ model: Model) {
    guard let tracker = model._$header.pointee.tracker else { return rejectDeletion(of: model) }
    guard tracker.core === self else {
      return reject(model, "deleted", because: "belongs to another context. Fetch it here by its identifier")
    }
    // By a type's own coding, in the midst of work: once that is done.
    if isDeferringNotifications { return relationships.deferredRequests.append(.delete(model)) }
    tracker.recordExplicitDeletion(of: model._$header.pointee.rowID)
    tracker.delete(model)
    discardDeletedInserts()
  }

  /// A model in no context: there is nothing to be deleted of what was never saved, or is deleted already.
  private func rejectDeletion(of model: any PersistentModel) {
    let header = model._$header
    // Another instance stands for its row.
    guard header.pointee.status.contains(.stored), header.pointee.rowID > 0 else { return }
    reject(
      model, "deleted", because: "is in no context: another object stands for its row. Fetch that by its identifier")
  }
}

extension _ContextCore {
  /// What is kept for each model, with the deletions carried to all that they concern.
  fileprivate var trackersAfterPropagation: [_EntityTracker] {
    do {
      try propagateDeletions()
    } catch {
      Log.warning("Objects related to deleted ones could not be looked for. \(error)")
      if pendingError == nil { pendingError = error }
    }
    return trackers
  }

  /// The public context has gone: nothing may stay pending, since pending objects and the core hold each other.
  func abandon() {
    // A save posts notifications for a context, which goes again.
    if isOrphaned { return }
    markOrphaned()
    defer { breakRetainCycles() }
    guard hasChanges else {
      // What is in memory only is no change, but is noted for a rollback.
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
