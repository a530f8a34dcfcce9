/// How somebody who observes a context is reached where that is used: by the actor that it was made on, or in a turn of the
/// context's own queue.
struct LiveIsolation: Sendable {
  /// Not kept: an actor may keep its observer.
  private let actor: Reference?
  /// The main actor, which never goes.
  private let isMain: Bool
  private let turns: ContextTurns?

  /// - Parameter core: The context that is observed, where it is one.
  init(_ actor: (any Actor)?, _ core: ContextCore? = nil) {
    isMain = actor is MainActor
    self.actor = isMain ? nil : actor.map { Reference($0) }
    turns = core?.turns
  }

  /// Whether there is a way.
  var isKnown: Bool { isMain || actor != nil || turns != nil }

  func run(_ work: @escaping @Sendable () -> Void) {
    if isMain {
      Task { @MainActor in work() }
    } else if let actor {
      Task { if let actor = actor.actor { await LiveIsolation.run(work, on: actor) } }
    } else if let turns {
      turns.run(after: 0, work)
    }
  }

  // @unchecked: a weak reference may be read by any thread, and is not changed.
  private final class Reference: @unchecked Sendable {
    private(set) weak var actor: (any Actor)?
    init(_ actor: any Actor) { self.actor = actor }
  }

  private static func run(_ work: @Sendable () -> Void, on actor: isolated any Actor) { work() }
}
