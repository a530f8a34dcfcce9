package import Foundation
package import LarderSQLite
import LarderSupport
import Synchronization

/// The implementation of a context, which its objects keep alive.
///
/// The public ``ModelContext`` holds the core; the core holds pending objects and no others. While any object of the
/// context is alive the core keeps itself alive, so that a fetched object stays usable after the last reference to
/// the `ModelContext` has gone. Nothing pending outlives the `ModelContext` (see its `deinit`), so nothing leaks.
///
/// A core belongs to one thread at a time, as its context does; other threads use only the state behind `instanceCount`'s lock.
public final class _ContextCore {
  package let container: ContainerCore
  /// The context's sessions with the container's stores, in the container's order. Relationships never cross stores.
  package let sessions: [StoreSession]
  package let probe = _ObservationProbe()
  package let planCache = PlanCache()
  package var queryCache = QueryCache()
  /// The count of objects, and the lock that guards the count and the identity maps.
  let instanceCount: UnsafeMutablePointer<InstanceCount>
  /// Whether a store has a backend that must be asked before its rows in memory are read.
  @usableFromInline let hasStorageBackends: Bool
  /// The options in which the library's own contexts differ from the program's.
  @exclusivity(unchecked) var options = ContextOptions()

  /// The trackers of the entities, by the layout's number.
  // Read for each object; no user code runs while it is read or grows.
  @exclusivity(unchecked) private var trackersByLayout: ContiguousArray<_EntityTracker?> = []
  /// The same trackers in the order of the entities' first use, which is the order of their saves.
  package private(set) var trackers: [_EntityTracker] = []

  /// The queue of changes that other contexts committed.
  package let remoteChanges = RemoteChangeQueue()
  package var mergePolicy = MergePolicy.mergeByPropertyObjectTrump { didSet { scheduleStaleRefresh() } }
  /// Whether stale objects, which were not refreshed because they were edited, may be refreshed again.
  @exclusivity(unchecked) var refreshesStaleRows = false
  /// The operations in progress.
  // Plain values are unchecked: no code runs while they are read or written, and they are used for each object.
  @exclusivity(unchecked) var activity = ContextActivity()
  var deferredNotifications = DeferredNotifications()
  /// The scheduler for the queue that runs the context's work, or `nil` if the queue is unknown.
  @exclusivity(unchecked) var scheduler: ContextScheduler?
  /// The delay before the next attempt to merge the commits of other contexts.
  @exclusivity(unchecked) var mergeBackoff = Backoff()
  @exclusivity(unchecked) package var autosaveEnabled = false { didSet { updateHasChangeListeners() } }
  @exclusivity(unchecked) var isAutosaveScheduled = false
  /// The number of autosaves that failed in a row.
  @exclusivity(unchecked) var consecutiveAutosaveFailures = 0
  package var lastAutosave = -_ContextCore.autosaveInterval
  package var author: String?
  package let editingStateID = UUID()
  @exclusivity(unchecked) var transactionState = TransactionState()
  /// The edits that are made while a save writes rows, or `nil` if the save does not collect them.
  // Only a reference is read.
  @exclusivity(unchecked) var reentrantEdits: ReentrantEdits?
  /// The rows that the next save inserts again, under their former row IDs.
  var reinsertedRows = ReinsertedRows()
  /// The context's state for relationships.
  package var relationships = RelationshipState()
  @usableFromInline @exclusivity(unchecked) package var relationMarks = RelationshipGenerations()
  /// An error that could not be thrown where it occurred; the next save throws it.
  package var pendingError: (any Error)?
  /// The rows that other contexts have deleted, whose edits were dropped, and which no save has reported yet.
  var droppedEdits: [PersistentIdentifier] = []
  /// The positions in the history of each store at the last save, by the stores' identifiers.
  var savedTokens: [String: any HistoryToken] = [:]
  /// A closure that receives the changes of each save, set only while a client counts them.
  var didPublish: ((ChangeSet) -> Void)?

  /// Whether the program receives objects of this context; if not, the context caches none for the next fetch.
  var cachesObjects = true

  /// A weak reference to the program's context, which holds this core.
  private var currentFacade: WeakHandle<ModelContext>?
  /// A weak reference to this core. It is resolved only in the context's own isolation.
  let weakHandle = WeakHandle<_ContextCore>()
  /// Whether the program's context has been released. Its objects live on, and can still be edited.
  @exclusivity(unchecked) private(set) var isOrphaned = false
  /// The features that follow pending changes.
  // References are read, at each edit of a pending object; the list is never changed while it is iterated, but replaced.
  @exclusivity(unchecked) var participants: [any ContextParticipant] = [] {
    didSet {
      hasParticipants = !participants.isEmpty
      updateHasChangeListeners()
    }
  }
  /// Whether there are participants.
  @exclusivity(unchecked) private(set) var hasParticipants = false
  /// The number of objects that were compared for undo steps, for tests.
  @exclusivity(unchecked) var comparedObjectCount = 0
  #if DEBUG
    /// The number of the thread that is at work, or 0.
    let _activeThread = Atomic<UInt64>(0)
    /// The number of operations that ended with a check of invariants, performed or skipped.
    var _checks = 0
  #endif
  /// Whether a first change must be reported to participants, the autosave or an orphaned context.
  @exclusivity(unchecked) private var hasChangeListeners = false
  /// Retains a recreated context while it has changes, until a save through `model.modelContext`.
  private var retainedFacade: ModelContext?

  /// - Parameter entityWriter: The store of a save in progress, and the connection by which that store is read meanwhile.
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

  /// The public context, recreated for an object that outlived it.
  package var facade: ModelContext {
    if let context = currentFacade?.object { return context }
    let context = ModelContext(core: self)
    currentFacade = context.weakHandle
    return context
  }

  /// Records that changes are pending from now on. In a core whose context was released the changes would otherwise be
  /// dropped with the next temporary context that `model.modelContext` returns.
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

  /// Records that no change is pending any more.
  func didClearChanges() {
    for one in participants { one.didClearChanges() }
    let ended = relationships.removeAllChanges()
    let facade = retainedFacade
    retainedFacade = nil
    withExtendedLifetime((ended, facade)) {}
  }

  /// Records that the program's context was released.
  func markOrphaned() {
    isOrphaned = true
    // These hold the objects, which hold the context.
    let held = (relationships.unnotifiedReloads, reinsertedRows)
    relationships.unnotifiedReloads = [:]
    reinsertedRows = ReinsertedRows()
    updateHasChangeListeners()
    withExtendedLifetime(held) {}
  }

  private func updateHasChangeListeners() { hasChangeListeners = isOrphaned || autosaveEnabled || hasParticipants }

  func setFacade(_ context: ModelContext) { currentFacade = context.weakHandle }

  /// Returns the session with the store that contains an entity.
  func session(for layout: _ModelLayout) -> StoreSession { sessions[container.storeIndex(of: layout)] }

  /// Returns the tracker for an entity.
  ///
  /// - Throws: ``SwiftDataError/unknownSchema`` if the container's schema does not contain the entity.
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
    // The trackers of superclasses come first: the tracker of the topmost class has the instances.
    let above = try layout.base.map { try self.tracker(for: $0) }
    while trackersByLayout.count <= layout.id { trackersByLayout.append(nil) }
    let tracker = _EntityTracker(layout, core: self, above: above)
    trackersByLayout[layout.id] = tracker
    trackers.append(tracker)
    return tracker
  }

  package var hasChanges: Bool { trackers.contains { $0.hasChanges } }
}

extension _ContextCore {
  /// The number of live objects. The first one keeps the core alive, until the last one is released (``_InstanceTable``).
  var objectCount: Int { instanceCount.pointee.count }

  /// Releases all snapshots.
  func releaseSnapshots() { for session in sessions { session.releaseSnapshot() } }
}
