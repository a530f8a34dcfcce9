import DurabilityWork
import LarderData
import LarderSQLite
import LarderTesting
import SwiftData
import Testing

/// A program's life on a disk that fails at some time: what fails is checked, mended and done again.
final class FaultyLife {
  enum Step { case opening, preparing, saving }

  /// Enough for inserts, unions, edits and deletions; the number of operations is that of the tests' runs.
  private static let saves = 5
  private static let scale = 8

  let disk = FaultVFS()
  /// The steps that reported a failure.
  private(set) var failed: Set<Step> = []
  private let folder: WorkFolder
  private var ledger: Ledger

  init(seed: UInt64) throws {
    folder = try WorkFolder()
    ledger = Ledger(Writer(seed: seed, scale: Self.scale))
  }

  /// Two openings with saves in between.
  func run(_ comment: Comment) throws {
    var save = 0
    for opening in 1...2 {
      let container = try attempt(.opening, comment) { try open() }
      let context = ModelContext(container)
      while save < Self.saves * opening {
        save += 1
        try prepare(save, context, comment)
        try self.save(save, context, comment)
      }
    }
    disk.clearFault()
    try check(returned: save, begun: save, comment)
  }

  private func open() throws -> ModelContainer {
    var options = StoreOptions()
    options.vfs = disk.name
    options.settings.checkpointFrames = 12
    return try StoreOptions.$current.withValue(options) { try Writer.open(folder.path("test.store")) }
  }

  /// What fails is a ``StoreError``, and works once the disk does.
  private func attempt<Result>(
    _ step: Step, _ comment: Comment, _ body: () throws -> Result, failing: () throws -> Void = {}
  ) throws -> Result {
    do {
      return try body()
    } catch {
      #expect(error is StoreError, "\(comment), \(step): \(type(of: error)) \(error)")
      #expect(disk.failureCount > 0, "\(comment), \(step): \(error)")
      failed.insert(step)
      disk.clearFault()
      try failing()
      return try body()
    }
  }

  private func prepare(_ save: Int, _ context: ModelContext, _ comment: Comment) throws {
    let writer = ledger.writer
    try attempt(.preparing, comment) {
      try writer.prepare(save, in: context)
    } failing: {
      context.rollback()
      #expect(!context.hasChanges, comment)
    }
  }

  private func save(_ save: Int, _ context: ModelContext, _ comment: Comment) throws {
    let before = Pending(context)
    // Looked at through a container of its own, which knows nothing of the failed one.
    var ledger = ledger
    try attempt(.saving, comment) {
      try context.save()
    } failing: {
      #expect(Pending(context) == before, comment)
      let other = try open()
      let problems = try ledger.problems(in: other, returned: save - 1, begun: save)
      #expect(problems == [], comment)
    }
    #expect(!context.hasChanges, comment)
  }

  private func check(returned: Int, begun: Int, _ comment: Comment) throws {
    let container = try open()
    #expect(try Ledger.integrityProblem(in: container) == nil, comment)
    let problems = try ledger.problems(in: container, returned: returned, begun: begun)
    #expect(problems == [], comment)
  }
}
