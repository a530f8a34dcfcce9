public import Foundation

/// A context in which models are inserted, fetched, changed and saved.
///
/// ```swift
/// let context = ModelContext(container)
/// context.insert(Trip(remoteID: "1", name: "Paris", start: .now))
/// try context.save()
///
/// let trips = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.start)]))
/// ```
///
/// A context and its models belong to one thread or actor at a time; send a model's `persistentModelID` instead. All
/// changes are in memory until ``save()``, and are part of every fetch of this context before that.
///
/// When the last reference to a context is released with changes pending, they are saved if ``autosaveEnabled`` is true and
/// dropped, with a line in the log, if it is false. Fetched models stay usable.
public class ModelContext: Equatable, SendableMetatype {
  @usableFromInline package let core: _ContextCore
  /// A weak reference to this context.
  let weakHandle = WeakHandle<ModelContext>()

  /// Creates a context for a container.
  public init(_ container: ModelContainer) {
    core = _ContextCore(container: container.core)
    weakHandle.attach(to: self)
    core.setFacade(self)
  }

  init(core: _ContextCore) {
    self.core = core
    weakHandle.attach(to: self)
  }

  deinit {
    weakHandle.invalidate()
    for one in core.participants { one.contextWillDeinit(self) }
    defer { for one in core.participants { one.contextDidDeinit() } }
    guard let turns = core.scheduler, turns.isMain, core.hasChanges, !MainQueue.isCurrent else { return core.abandon() }
    // Released by another thread, while the main queue may be working with the context's objects.
    let core = UncheckedCore(core: core)
    turns.schedule(after: 0) { core.core.abandon() }
  }

  // @unchecked: used only in the context's own isolation.
  private struct UncheckedCore: @unchecked Sendable {
    let core: _ContextCore
  }

  /// The container that the context reads and writes.
  public var container: ModelContainer { core.container.facade }

  /// Whether the context saves changes without an explicit ``save()``. True for a container's main context, false for one that
  /// the program creates.
  ///
  /// The main context saves at the end of the turn of the main queue in which a model changed, and at most once a second; a
  /// model actor's context saves in turns of the actor. Both save at the end of the program, too. Any context saves when it is
  /// released. A failed save is logged, its changes stay pending, and it is retried: after a second, then at growing intervals,
  /// and at the end of the program.
  public var autosaveEnabled: Bool {
    get { core.autosaveEnabled }
    set {
      core.autosaveEnabled = newValue
      if newValue, core.hasChanges { core.scheduleAutosave() }
    }
  }

  /// The author of the changes, which a save reports and records in its transaction of the store's history.
  public var author: String? {
    get { core.author }
    set { core.author = newValue }
  }

  /// Whether the context has pending changes.
  public var hasChanges: Bool { core.hasChanges }

  public static func == (left: ModelContext, right: ModelContext) -> Bool { left.core === right.core }

  /// Posted before a save writes; the object is the context. The save includes changes made by an observer.
  public static let willSave = Notification.Name("SwiftData.ModelContext.willSave")

  /// Posted after a save's commit, on the thread that saved; the object is the context.
  ///
  /// `userInfo` holds arrays of ``PersistentIdentifier`` under the raw values of ``NotificationKey``: the models that were
  /// inserted, updated and deleted. A save that changed no row posts empty arrays. In addition, `userInfo` holds the save's
  /// position in the history of each store, and, under ``droppedEditIdentifiersKey``, the models whose edits were dropped
  /// because another context had deleted their rows.
  public static let didSave = Notification.Name("SwiftData.ModelContext.didSave")

  /// The keys of a save's notification.
  ///
  /// ```swift
  /// let key = ModelContext.NotificationKey.insertedIdentifiers.rawValue
  /// let inserted = notification.userInfo?[key] as? [PersistentIdentifier] ?? []
  /// ```
  public enum NotificationKey: String {
    /// The stores' history positions at the save, as a ``DefaultHistoryToken``: a later read returns this generation or a newer
    /// one.
    case queryGeneration
    /// `true`, in a notification without an object: ``ModelContainer/erase()`` has removed every model.
    case invalidatedAllIdentifiers
    /// The models that were inserted, as `[PersistentIdentifier]`.
    case insertedIdentifiers
    /// The models that were changed, as `[PersistentIdentifier]`.
    case updatedIdentifiers
    /// The models that were deleted, as `[PersistentIdentifier]`.
    case deletedIdentifiers
    /// The save's position in the history of each store that it wrote to, as `[String: any HistoryToken]` by the stores'
    /// identifiers.
    case historyTokens
  }
}

@available(*, unavailable, message: "a context belongs to one actor; make one for each from the container")
extension ModelContext: Sendable {}

extension ModelContext: CustomDebugStringConvertible {
  public var debugDescription: String {
    let counts = core.trackers.map { tracker in
      "\(tracker.layout.entityName): \(tracker.inserted.count) inserted, \(tracker.changed.count) changed, "
        + "\(tracker.deletedRows.count) deleted"
    }
    return "ModelContext(\(counts.joined(separator: "; ")))"
  }
}
