public import Foundation

/// Where models are made, fetched, changed and saved.
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
/// When the last reference to a context goes with changes pending, they are saved if ``autosaveEnabled`` is true and
/// dropped, with a line in the log, if it is not. Fetched models stay usable.
public class ModelContext: Equatable, SendableMetatype {
  @usableFromInline package let core: _ContextCore
  /// What leads here from where the context is not held.
  let weakHandle = WeakHandle<ModelContext>()

  /// Makes a context of its own for a container.
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
    // Let go of by another thread, while a turn of the main queue may be at work with the context's objects.
    let core = UncheckedCore(core: core)
    turns.schedule(after: 0) { core.core.abandon() }
  }

  // @unchecked: used in the context's own isolation alone.
  private struct UncheckedCore: @unchecked Sendable {
    let core: _ContextCore
  }

  /// The container that the context reads and writes.
  public var container: ModelContainer { core.container.facade }

  /// Whether changes are saved without being told to. True for a container's main context, false for one that a program
  /// makes.
  ///
  /// The main context saves at the end of the turn of the main queue in which something changed, and at most once a
  /// second; a model actor's does so in turns of the actor. Both save at the end of the program, too. Any context saves
  /// when it goes. A save that fails is told in the log, its changes stay pending, and it is tried again: after a second,
  /// then ever more rarely, and at the end of the program.
  public var autosaveEnabled: Bool {
    get { core.autosaveEnabled }
    set {
      core.autosaveEnabled = newValue
      if newValue, core.hasChanges { core.scheduleAutosave() }
    }
  }

  /// Who makes the changes; part of what a save tells, and of its transaction in the store's history.
  public var author: String? {
    get { core.author }
    set { core.author = newValue }
  }

  /// Whether anything is pending.
  public var hasChanges: Bool { core.hasChanges }

  public static func == (left: ModelContext, right: ModelContext) -> Bool { left.core === right.core }

  /// Posted before a save writes; the object is the context. Changes made by an observer are saved, too.
  public static let willSave = Notification.Name("SwiftData.ModelContext.willSave")

  /// Posted after a save's commit, on the thread that saved; the object is the context.
  ///
  /// `userInfo` holds arrays of ``PersistentIdentifier`` under the raw values of ``NotificationKey``: what was
  /// inserted, updated and deleted. A save that found every row as it should be posts empty ones. Beside them are the
  /// places of the save in the history of each store, and, under ``droppedEditIdentifiersKey``, the models whose edits were
  /// dropped because others had deleted their rows.
  public static let didSave = Notification.Name("SwiftData.ModelContext.didSave")

  /// The keys of a save's notification.
  ///
  /// ```swift
  /// let key = ModelContext.NotificationKey.insertedIdentifiers.rawValue
  /// let inserted = notification.userInfo?[key] as? [PersistentIdentifier] ?? []
  /// ```
  public enum NotificationKey: String {
    /// How far the stores' own histories are by then, as a ``DefaultHistoryToken``: what is read afterwards is of this
    /// generation, or a later one.
    case queryGeneration
    /// `true`, in a notification without an object: ``ModelContainer/erase()`` has removed every model.
    case invalidatedAllIdentifiers
    /// The models that were inserted, as `[PersistentIdentifier]`.
    case insertedIdentifiers
    /// The models that were changed, as `[PersistentIdentifier]`.
    case updatedIdentifiers
    /// The models that were deleted, as `[PersistentIdentifier]`.
    case deletedIdentifiers
    /// The save's place in the history of each store that it wrote to, as `[String: any HistoryToken]` by the stores'
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
