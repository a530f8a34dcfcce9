/// How somebody who observes a context is reached where that is used: by the actor that it was made on, or in a turn of the
/// context's own queue.
struct LiveIsolation: Sendable {
  private let actor: (any Actor)?
  private let turns: ContextTurns?

  /// - Parameter core: The context that is observed, where it is one.
  init(_ actor: (any Actor)?, _ core: ContextCore? = nil) {
    self.actor = actor
    turns = core?.turns
  }

  /// Whether there is a way.
  var isKnown: Bool { actor != nil || turns != nil }

  func run(_ work: @escaping @Sendable () -> Void) {
    if let actor {
      Task { await LiveIsolation.run(work, on: actor) }
    } else if let turns {
      turns.run(after: 0, work)
    }
  }

  private static func run(_ work: @Sendable () -> Void, on actor: isolated any Actor) { work() }
}
