/// How somebody who observes a context is reached where that is used: by the actor that it was made on, or in a turn of the
/// context's own queue.
struct ObserverIsolation: Sendable {
  /// Not kept: an actor may keep its observer.
  private let actor: WeakActor?
  /// The main actor, which never goes.
  private let isMain: Bool
  private let scheduler: ContextScheduler?

  /// - Parameter core: The context that is observed, where it is one.
  init(_ actor: (any Actor)?, _ core: _ContextCore? = nil) {
    isMain = actor is MainActor
    self.actor = isMain ? nil : actor.map { WeakActor($0) }
    scheduler = core?.scheduler
  }

  /// Whether there is a way.
  var isAvailable: Bool { isMain || actor != nil || scheduler != nil }

  func run(_ work: @escaping @Sendable () -> Void) {
    if isMain {
      Task { @MainActor in work() }
    } else if let actor {
      Task { if let actor = actor.actor { await ObserverIsolation.run(work, on: actor) } }
    } else if let scheduler {
      scheduler.schedule(after: 0, work)
    }
  }

  // @unchecked: a weak reference may be read by any thread, and is not changed.
  private final class WeakActor: @unchecked Sendable {
    private(set) weak var actor: (any Actor)?
    init(_ actor: any Actor) { self.actor = actor }
  }

  private static func run(_ work: @Sendable () -> Void, on actor: isolated any Actor) { work() }
}
