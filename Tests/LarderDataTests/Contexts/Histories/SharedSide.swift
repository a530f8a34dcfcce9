import Dispatch
import LarderData
import SwiftData

/// One of the contexts of a history, and what is pending in it. Some are model actors': what they do is done on the actor's
/// queue, on which others' saves reach them by themselves.
final class SharedSide {
  /// Edits of attributes that are pending, each with what it was edited from.
  struct Edits {
    var number: (value: Int, base: Int)?
    var weight: (value: Double, base: Double)?
  }

  @ModelActor
  actor Hand {}

  let context: ModelContext
  let manager = UndoManager()
  var held: [Int: any Piece] = [:]
  var edits: [Int: Edits] = [:]
  private let hand: Hand?
  private let queue: DispatchQueue?

  init(_ store: TestStore, _ policy: MergePolicy, isActors: Bool) {
    hand = isActors ? Hand(modelContainer: store.container) : nil
    let executor = hand?.modelExecutor as? DefaultSerialModelExecutor
    queue = executor?.queue
    context = executor?.modelContext ?? store.context()
    context.mergePolicy = policy
    context.undoManager = manager
  }

  var isActors: Bool { hand != nil }
  /// A context that could not save tries again later than a history lasts.
  private(set) lazy var savesByItself = isActors

  /// Does something where the context belongs.
  func perform(_ body: () throws -> Void) throws {
    guard let queue, let hand else { return try body() }
    try queue.sync {
      hand.assumeIsolated { _ in }
      try body()
    }
  }

  /// Waits for what the actor's queue does by itself.
  func endTurn() { queue?.sync {} }

  /// Has the actor's context save by itself, at the end of its turn.
  ///
  /// - Returns: Whether it did.
  func autosave() throws -> Bool {
    try perform {
      context.core.lastAutosave = -_ContextCore.autosaveInterval
      context.autosaveEnabled = true
    }
    endTurn()
    var hasSaved = false
    try perform {
      context.autosaveEnabled = false
      hasSaved = !context.hasChanges
    }
    savesByItself = hasSaved
    return hasSaved
  }
}
