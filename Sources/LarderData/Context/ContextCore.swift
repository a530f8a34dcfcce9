package import Foundation
package import LarderSQLite
import LarderSupport
import Synchronization

/// What a context is made of, and what its objects hold on to.
///
/// The public ``ModelContext`` holds the core; the core holds pending objects and no others. While any object of the
/// context is alive the core keeps itself alive, so that a fetched object stays usable after the last reference to
/// the `ModelContext` has gone. Nothing pending outlives the `ModelContext` (see its `deinit`), so nothing leaks.
///
/// A core belongs to one thread at a time, as its context does; only what the lock of `instanceCount` guards is touched by others.
public final class _ContextCore {
  package let container: ContainerCore
  /// Its ways to the container's stores, in the container's order. What lies in one store is related to nothing in another.
  package let sessions: [StoreSession]
  package let probe = _ObservationProbe()
  package let planCache = PlanCache()
  package var queryCache = QueryCache()
  /// The count of objects, and the lock that guards it and the identity maps.
  let instanceCount: UnsafeMutablePointer<InstanceCount>
  /// Whether some store is one that must be asked before its rows in memory are read.
  @usableFromInline let hasStorageBackends: Bool
  /// What a context of the library's own does in another way than one of the program's.
  @exclusivity(unchecked) var options = ContextOptions()

  /// What is kept for each model, by its layout's number.
  // Read for each object; nothing of a user's runs while it is read or grows.
  @exclusivity(unchecked) private var trackersByLayout: ContiguousArray<_EntityTracker?> = []
  /// The same in the order in which models were first used, which is the order in which they are saved.
  package private(set) var trackers: [_EntityTracker] = []

  /// What others saved.
  package let remoteChanges = RemoteChangeQueue()
  package var mergePolicy = MergePolicy.mergeByPropertyObjectTrump { didSet { scheduleStaleRefresh() } }
  /// Whether objects that were not brought in step with their rows, because they were edited, may be looked at again.
  @exclusivity(unchecked) var refreshesStaleRows = false
  /// What the context is at.
  // Plain values are unchecked: nothing runs while they are read or written, and they are for each object.
  @exclusivity(unchecked) var activity = ContextActivity()
  var deferredNotifications = DeferredNotifications()
  /// Where the context's work runs, if that is known.
  @exclusivity(unchecked) var scheduler: ContextScheduler?
  /// When to try again to take over what others saved.
  @exclusivity(unchecked) var mergeBackoff = Backoff()
  @exclusivity(unchecked) package var autosaveEnabled = false { didSet { updateHasChangeListeners() } }
  @exclusivity(unchecked) var isAutosaveScheduled = false
  /// How many in a row.
  @exclusivity(unchecked) var consecutiveAutosaveFailures = 0
  package var lastAutosave = -_ContextCore.autosaveInterval
  package var author: String?
  package let editingStateID = UUID()
  @exclusivity(unchecked) var transactionState = TransactionState()
  /// What is edited while a save writes rows, if it asks for that.
  // A reference is read.
  @exclusivity(unchecked) var reentrantEdits: ReentrantEdits?
  /// Rows that the next save inserts again, under the number that they had.
  var reinsertedRows = ReinsertedRows()
  /// What the context keeps for relationships.
  package var relationships = RelationshipState()
  @usableFromInline @exclusivity(unchecked) package var relationMarks = RelationshipGenerations()
  /// What could not be said where it happened; the next save throws it.
  package var pendingError: (any Error)?
  /// Rows that others have deleted, with edits that were dropped for it and of which no save has told.
  var droppedEdits: [PersistentIdentifier] = []
  /// How far the history of each store was with the last save, by the stores' identifiers.
  var savedTokens: [String: any HistoryToken] = [:]
  /// Called with what each save has changed, while somebody counts.
  var didPublish: ((ChangeSet) -> Void)?

  /// Whether anybody is ever given objects of it; if not, it keeps none for the next fetch to find.
  var cachesObjects = true

  /// Leads to the context that the program has, which holds this.
  private var currentFacade: WeakHandle<ModelContext>?
  /// What leads here from where the core is not held. It is asked for in the context's own isolation alone.
  let weakHandle = WeakHandle<_ContextCore>()
  /// Whether the context that the program made has gone. Its objects live on, and can still be edited.
  @exclusivity(unchecked) private(set) var isOrphaned = false
  /// The features that follow what becomes of pending changes.
  // References are read, at each edit of what is pending; a list is not changed while it is gone through, but replaced.
  @exclusivity(unchecked) var participants: [any ContextParticipant] = [] {
    didSet {
      hasParticipants = !participants.isEmpty
      updateHasChangeListeners()
    }
  }
  /// Whether there are any.
  @exclusivity(unchecked) private(set) var hasParticipants = false
  /// How many objects were compared for its steps, for tests.
  @exclusivity(unchecked) var comparedObjectCount = 0
  #if DEBUG
    /// The thread that is at work, by its number; 0 where there is none.
    let _activeThread = Atomic<UInt64>(0)
    /// The number of operations at whose end invariants were to be checked.
    var _checks = 0
  #endif
  /// Whether anybody wants to know that something changes.
  @exclusivity(unchecked) private var hasChangeListeners = false
  /// Holds the context that was made anew while it has changes: they wait for a save through `model.modelContext`.
  private var retainedFacade: ModelContext?

  /// - Parameter saving: The store of a save that is under way, and its connection, by which that store is read then.
  package init(container: ContainerCore, within entityWriter: (store: SQLiteStore, connection: Connection)? = nil) {
    self.container = container
    sessions = container.stores.map { one in
      StoreSession(store: one.store, within: one.store === entityWriter?.store ? entityWriter?.connection : nil)
    }
    hasStorageBackends = container.stores.contains { $0.store.backend != nil }
    instanceCount = .allocate(capacity: 1)
    instanceCount.initialize(to: InstanceCount())
    for session in sessions {
      session.onRemoteCommit = { [unowned self] in relationMarks.recordRemoteCommit() }
      session.store.observers.add(remoteChanges)
    }
    weakHandle.attach(to: self)
  }

  deinit {
    weakHandle.invalidate()
    for session in sessions {
      session.store.observers.remove(remoteChanges)
      session.store.removeListener(remoteChanges)
    }
    if isAutosaveScheduled { AutosaveRegistry.shared.remove(self) }
    instanceCount.deinitialize(count: 1)
    instanceCount.deallocate()
  }

  /// The public context; made anew for an object that outlived it.
  package var facade: ModelContext {
    if let context = currentFacade?.object { return context }
    let context = ModelContext(core: self)
    currentFacade = context.weakHandle
    return context
  }

  /// Notes that something is pending from now on. In a core whose context has gone that would be dropped with the next
  /// look at `model.modelContext`, if nobody held that context.
  func willChange() {
    checkIsolation("An edit of a model, an insert or a deletion")
    if hasChangeListeners { notifyWillChange() }
  }

  @inline(never)
  private func notifyWillChange() {
    notifyParticipantsWillChange()
    if isOrphaned, retainedFacade == nil { retainedFacade = facade }
    if autosaveEnabled, !isAutosaveScheduled { scheduleAutosave() }
  }

  /// Nothing is pending any more.
  func didClearChanges() {
    for one in participants { one.didClearChanges() }
    let ended = relationships.removeAllChanges()
    let facade = retainedFacade
    retainedFacade = nil
    withExtendedLifetime((ended, facade)) {}
  }

  /// The context that the program made has gone.
  func markOrphaned() {
    isOrphaned = true
    // What holds the objects, which hold the context.
    let held = (relationships.unnotifiedReloads, reinsertedRows)
    relationships.unnotifiedReloads = [:]
    reinsertedRows = ReinsertedRows()
    updateHasChangeListeners()
    withExtendedLifetime(held) {}
  }

  private func updateHasChangeListeners() { hasChangeListeners = isOrphaned || autosaveEnabled || hasParticipants }

  func setFacade(_ context: ModelContext) { currentFacade = context.weakHandle }

  /// The context's way to the store that a model lies in.
  func session(for layout: _ModelLayout) -> StoreSession { sessions[container.storeIndex(of: layout)] }

  /// What the context keeps for a model.
  ///
  /// - Throws: ``SwiftDataError/unknownSchema`` where the container was not opened for it.
  @inline(__always)
  package func tracker(for layout: _ModelLayout) throws -> _EntityTracker {
    if layout.id < trackersByLayout.count, let tracker = trackersByLayout[layout.id] { return tracker }
    return try makeTracker(layout)
  }

  package func existingTracker(for layout: _ModelLayout) -> _EntityTracker? {
    layout.id < trackersByLayout.count ? trackersByLayout[layout.id] : nil
  }

  @inline(never)
  private func makeTracker(_ layout: _ModelLayout) throws -> _EntityTracker {
    guard container.contains(layout) else {
      throw SwiftDataError.unknownSchema.explained(
        "\(layout.entityName) is no model of this container. Add \(layout.entityName).self where the container is "
          + "made.")
    }
    // The classes above come first: the topmost one's state has the instances.
    let above = try layout.base.map { try self.tracker(for: $0) }
    while trackersByLayout.count <= layout.id { trackersByLayout.append(nil) }
    let tracker = _EntityTracker(layout, core: self, above: above)
    trackersByLayout[layout.id] = tracker
    trackers.append(tracker)
    return tracker
  }

  package var hasChanges: Bool { trackers.contains { $0.hasChanges } }
}

// MARK: - Instances keep the core alive

extension _ContextCore {
  /// How many objects are alive.
  var objectCount: Int { instanceCount.pointee.count }

  /// Takes a reference to the core for all instances.
  @usableFromInline
  func retainForInstances() { _ = Unmanaged.passRetained(self) }

  /// Outside the lock, which may go with the core.
  @usableFromInline
  func releaseForInstances() { Unmanaged.passUnretained(self).release() }
}

extension _ContextCore {
  /// Lets all snapshots go.
  func releaseSnapshots() { for session in sessions { session.releaseSnapshot() } }
}
