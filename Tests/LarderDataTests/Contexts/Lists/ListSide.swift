import Dispatch
import LarderData
import SwiftData

/// One of the contexts of a history of shared lists, what it knows, and what is pending in it.
final class ListSide {
  @ModelActor
  actor Hand {}

  let context: ModelContext
  var work = ListWork()
  var objects: [Int: any Listed] = [:]
  private let hand: Hand?
  private let queue: DispatchQueue?

  init(_ container: ModelContainer, _ policy: MergePolicy, isActors: Bool) {
    hand = isActors ? Hand(modelContainer: container) : nil
    let executor = hand?.modelExecutor as? DefaultSerialModelExecutor
    queue = executor?.queue
    context = executor?.modelContext ?? ModelContext(container)
    context.mergePolicy = policy
  }

  /// Does something where the context belongs.
  func perform(_ body: () throws -> Void) throws {
    guard let queue else { return try body() }
    try queue.sync { try body() }
  }

  /// Waits for what the actor's queue does by itself.
  func endTurn() { queue?.sync {} }
}
