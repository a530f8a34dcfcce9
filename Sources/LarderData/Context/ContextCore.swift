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
/// A core belongs to one thread at a time, as its context does; only what the lock of `live` guards is touched by others.
public final class ContextCore {
  package let container: ContainerCore
  /// Its ways to the container's stores, in the container's order. What lies in one store is related to nothing in another.
  package let sessions: [StoreSession]
  package let probe = ObservationProbe()
  package let plans = PlanCache()
  package var queries = QueryCache()
  /// The count of objects, and the lock that guards it and the identity maps.
  let live: UnsafeMutablePointer<LiveInstances>
  /// Whether some store is one that must be asked before its rows in memory are read.
  @usableFromInline let asksStores: Bool
  /// What a context of the library's own does in another way than one of the program's.
  @exclusivity(unchecked) var mode = ContextMode()

  /// What is kept for each model, by its layout's number.
  // Read for each object; nothing of a user's runs while it is read or grows.
  @exclusivity(unchecked) private var states: ContiguousArray<EntityState?> = []
  /// The same in the order in which models were first used, which is the order in which they are saved.
  package private(set) var known: [EntityState] = []

  /// What others saved.
  package let inbox = ContextInbox()
  package var mergePolicy = MergePolicy.mergeByPropertyObjectTrump { didSet { editsEnded() } }
  /// Whether objects that were not brought in step with their rows, because they were edited, may be looked at again.
  @exclusivity(unchecked) var looksAtLeftBehind = false
  /// What the context is at.
  // Plain values are unchecked: nothing runs while they are read or written, and they are for each object.
  @exclusivity(unchecked) var activity = ContextActivity()
  var announcements = Announcements()
  /// Where the context's work runs, if that is known.
  @exclusivity(unchecked) var turns: ContextTurns?
  /// When to try again to take over what others saved.
  @exclusivity(unchecked) var mergeBackoff = Backoff()
  @exclusivity(unchecked) package var autosaveEnabled = false { didSet { attend() } }
  @exclusivity(unchecked) var isAutosaveAwaited = false
  /// How many in a row.
  @exclusivity(unchecked) var failedAutosaves = 0
  package var lastAutosave = -ContextCore.autosaveInterval
  package var author: String?
  package let editingStateID = UUID()
  @exclusivity(unchecked) var transactions = Transactions()
  /// What is edited while a save writes rows, if it asks for that.
  // A reference is read.
  @exclusivity(unchecked) var lateEdits: LateEdits?
  /// Rows that the next save inserts again, under the number that they had.
  var returned = ReturnedRows()
  /// What the context keeps for relationships.
  package var relations = ContextRelations()
  @usableFromInline @exclusivity(unchecked) package var relationMarks = RelationMarks()
  /// What could not be said where it happened; the next save throws it.
  package var faultError: (any Error)?
  /// Rows that others have deleted, with edits that were dropped for it and of which no save has told.
  var vanishedEdits: [PersistentIdentifier] = []
  /// How far the history of each store was with the last save, by the stores' identifiers.
  var savedTokens: [String: any HistoryToken] = [:]
  /// Called with what each save has changed, while somebody counts.
  var didPublish: ((ChangeSet) -> Void)?

  /// Whether anybody is ever given objects of it; if not, it keeps none for the next fetch to find.
  var keepsObjects = true

  /// Leads to the context that the program has, which holds this.
  private var currentFacade: Tether<ModelContext>?
  /// What leads here from where the core is not held. It is asked for in the context's own isolation alone.
  let tether = Tether<ContextCore>()
  /// Whether the context that the program made has gone. Its objects live on, and can still be edited.
  @exclusivity(unchecked) private(set) var isOrphan = false
  /// The features that follow what becomes of pending changes.
  // References are read, at each edit of what is pending; a list is not changed while it is gone through, but replaced.
  @exclusivity(unchecked) var participants: [any ContextParticipant] = [] {
    didSet {
      hasParticipants = !participants.isEmpty
      attend()
    }
  }
  /// Whether there are any.
  @exclusivity(unchecked) private(set) var hasParticipants = false
  /// How many objects were compared for its steps, for tests.
  @exclusivity(unchecked) var comparedObjects = 0
  #if DEBUG
    /// The thread that is at work, by its number; 0 where there is none.
    let _worker = Atomic<UInt64>(0)
    /// The number of operations at whose end invariants were to be checked.
    var _checks = 0
  #endif
  /// Whether anybody wants to know that something changes.
  @exclusivity(unchecked) private var isAttended = false
  /// Holds the context that was made anew while it has changes: they wait for a save through `model.modelContext`.
  private var keptFacade: ModelContext?

  /// - Parameter saving: The store of a save that is under way, and its connection, by which that store is read then.
  package init(container: ContainerCore, within saving: (store: SQLiteStore, connection: Connection)? = nil) {
    self.container = container
    sessions = container.stores.map { one in
      StoreSession(store: one.store, within: one.store === saving?.store ? saving?.connection : nil)
    }
    asksStores = container.stores.contains { $0.store.backend != nil }
    live = .allocate(capacity: 1)
    live.initialize(to: LiveInstances())
    for session in sessions {
      session.othersCommitted = { [unowned self] in relationMarks.othersCommitted() }
      session.store.observers.add(inbox)
    }
    tether.tie(to: self)
  }

  deinit {
    tether.cut()
    for session in sessions {
      session.store.observers.remove(inbox)
      session.store.removeListener(inbox)
    }
    if isAutosaveAwaited { Autosaves.shared.remove(self) }
    live.deinitialize(count: 1)
    live.deallocate()
  }

  /// The public context; made anew for an object that outlived it.
  package var facade: ModelContext {
    if let context = currentFacade?.object { return context }
    let context = ModelContext(core: self)
    currentFacade = context.tether
    return context
  }

  /// Notes that something is pending from now on. In a core whose context has gone that would be dropped with the next
  /// look at `model.modelContext`, if nobody held that context.
  func changeBegan() {
    checkOwner("An edit of a model, an insert or a deletion")
    if isAttended { changeBeganAttended() }
  }

  @inline(never)
  private func changeBeganAttended() {
    tellOfChange()
    if isOrphan, keptFacade == nil { keptFacade = facade }
    if autosaveEnabled, !isAutosaveAwaited { awaitAutosave() }
  }

  /// Nothing is pending any more.
  func changesEnded() {
    for one in participants { one.pendingEnded() }
    let ended = relations.changesEnded()
    let facade = keptFacade
    keptFacade = nil
    withExtendedLifetime((ended, facade)) {}
  }

  /// The context that the program made has gone.
  func orphan() {
    isOrphan = true
    // What holds the objects, which hold the context.
    let held = (relations.untold, returned)
    relations.untold = [:]
    returned = ReturnedRows()
    attend()
    withExtendedLifetime(held) {}
  }

  private func attend() { isAttended = isOrphan || autosaveEnabled || hasParticipants }

  func setFacade(_ context: ModelContext) { currentFacade = context.tether }

  /// The context's way to the store that a model lies in.
  func session(for layout: ModelLayout) -> StoreSession { sessions[container.place(of: layout)] }

  /// What the context keeps for a model.
  ///
  /// - Throws: ``SwiftDataError/unknownSchema`` where the container was not opened for it.
  @inline(__always)
  package func state(for layout: ModelLayout) throws -> EntityState {
    if layout.id < states.count, let state = states[layout.id] { return state }
    return try makeState(layout)
  }

  package func existingState(for layout: ModelLayout) -> EntityState? {
    layout.id < states.count ? states[layout.id] : nil
  }

  @inline(never)
  private func makeState(_ layout: ModelLayout) throws -> EntityState {
    guard container.contains(layout) else {
      throw SwiftDataError.unknownSchema.explained(
        "\(layout.entityName) is no model of this container. Add \(layout.entityName).self where the container is "
          + "made.")
    }
    // The classes above come first: the topmost one's state has the instances.
    let above = try layout.base.map { try self.state(for: $0) }
    while states.count <= layout.id { states.append(nil) }
    let state = EntityState(layout, core: self, above: above)
    states[layout.id] = state
    known.append(state)
    return state
  }

  package var hasChanges: Bool { known.contains { $0.hasChanges } }
}

// MARK: - Instances keep the core alive

extension ContextCore {
  /// How many objects are alive.
  var instances: Int { live.pointee.count }

  /// Takes a reference to the core for all instances.
  @usableFromInline
  func firstInstanceCame() { _ = Unmanaged.passRetained(self) }

  /// Outside the lock, which may go with the core.
  @usableFromInline
  func lastInstanceGone() { Unmanaged.passUnretained(self).release() }
}

extension ContextCore {
  /// Lets all snapshots go.
  func endLeases() { for session in sessions { session.endLease() } }
}
