/// A scheduler of an observer's work in the isolation that uses the observed context: on the actor that the observer was created
/// on, or in a turn of the context's own queue.
struct ObserverIsolation: Sendable {
  /// A weak reference, because an actor may own its observer.
  private let actor: WeakActor?
  /// Whether the actor is the main actor, which always exists.
  private let isMain: Bool
  private let scheduler: ContextScheduler?

  /// - Parameter core: The observed context, or `nil` if no context is observed.
  init(_ actor: (any Actor)?, _ core: _ContextCore? = nil) {
    isMain = actor is MainActor
    self.actor = isMain ? nil : actor.map { WeakActor($0) }
    scheduler = core?.scheduler
  }

  /// Whether there is an actor or a queue to schedule work on.
  var isAvailable: Bool { isMain || actor != nil || scheduler != nil }

  /// Schedules the specified work on the actor or the queue.
  func run(_ work: @escaping @Sendable () -> Void) {
    if isMain {
      Task { @MainActor in work() }
    } else if let actor {
      Task { if let actor = actor.actor { await ObserverIsolation.run(work, on: actor) } }
    } else if let scheduler {
      scheduler.schedule(after: 0, work)
    }
  }

  // @unchecked: any thread may read a weak reference, and the reference never changes.
  private final class WeakActor: @unchecked Sendable {
    private(set) weak var actor: (any Actor)?
    init(_ actor: any Actor) { self.actor = actor }
  }

  private static func run(_ work: @Sendable () -> Void, on actor: isolated any Actor) { work() }
}
