import DurabilityWork
import LarderData
import LarderSQLite
import LarderTesting
import SwiftData

/// A store whose disk loses its power again and again, at operations that a seed chooses.
struct PowerCuts {
  struct Counts: CustomStringConvertible {
    var cuts = 0
    /// Cuts while the store was opened or made.
    var opening = 0
    /// Cuts during a save; and those after which that save was there, whole, though it had not returned.
    var saving = 0
    var wholeUnreturned = 0
    var saves = 0
    var problems: [String] = []

    var description: String {
      "\(cuts) power cuts: \(opening) while opening, \(saving) while saving; \(saves) saves had returned, "
        + "\(wholeUnreturned) more were whole"
    }
  }

  /// The most slots that one operation of a save touches.
  private static let scale = 60
  /// Saves between two openings.
  private static let longestLife = 6
  /// Openings before the power goes at last, whatever was chosen.
  private static let lives = 4

  private let folder: WorkFolder
  private let disk = FaultVFS()
  private let seed: UInt64
  private let durability: DatabaseSettings.Durability
  private var random: SeededGenerator
  private var ledger: Ledger

  init(seed: UInt64, durability: DatabaseSettings.Durability = .full) throws {
    folder = try WorkFolder()
    self.seed = seed
    self.durability = durability
    random = SeededGenerator(seed: seed)
    ledger = Ledger(Writer(seed: seed, scale: Self.scale))
  }

  /// What the store has promised so far.
  private struct Promises {
    var begun: Int
    var returned: Int
    var isOpen = false
  }

  /// Lets the store live until the power goes, and looks at what is left.
  mutating func cut(_ counts: inout Counts) throws {
    var progress = Promises(begun: ledger.save, returned: ledger.save)
    let comment = "seed \(seed), cut \(counts.cuts): " + chooseCut()
    do {
      for _ in 0..<Self.lives where !disk.isWithoutPower { try live(&progress) }
    } catch is StoreError {
    } catch {
      counts.problems.append("\(comment): \(type(of: error)): \(error)")
    }
    disk.cutPower()
    try disk.restorePower(seed: random.next())
    counts.cuts += 1
    if !progress.isOpen { counts.opening += 1 }
    if progress.begun > progress.returned { counts.saving += 1 }
    counts.saves += progress.returned - ledger.save
    do {
      let container = try open()
      var problems: [String] = []
      if let problem = try Ledger.integrityProblem(in: container) { problems.append(problem) }
      problems += try ledger.problems(in: container, returned: progress.returned, begun: progress.begun)
      if ledger.save > progress.returned { counts.wholeUnreturned += 1 }
      counts.problems += problems.prefix(5).map { "\(comment): \($0)" }
    } catch {
      counts.problems.append("\(comment): it does not open: \(error)")
    }
  }

  /// Sets the cut to any operation, or to one that changes a file, which are fewer and matter most.
  ///
  /// Every scale alike: the first operations make the store, the later ones save, check-point and reopen.
  private mutating func chooseCut() -> String {
    let longest = [20, 200, 1_000].randomElement(using: &random) ?? 200
    let operation = Int.random(in: 1...longest, using: &random)
    let changesOnly = random.next() % 3 != 0
    disk.cutPower(atOperation: operation, of: changesOnly ? [.write, .sync, .truncate] : .any)
    return "operation \(operation)\(changesOnly ? " that changes a file" : "")"
  }

  private func open() throws -> ModelContainer {
    var options = StoreOptions()
    options.vfs = disk.name
    options.settings.durability = durability
    // A log that is soon full, so that moving it into the database is among the operations.
    options.settings.checkpointFrames = 40
    return try StoreOptions.$current.withValue(options) { try Writer.open(folder.path("test.store")) }
  }

  private mutating func live(_ progress: inout Promises) throws {
    progress.isOpen = false
    let container = try open()
    progress.isOpen = true
    let context = ModelContext(container)
    let last = try ledger.writer.lastSave(in: context)
    for save in last + 1...last + Int.random(in: 1...Self.longestLife, using: &random) {
      try ledger.writer.prepare(save, in: context)
      progress.begun = save
      try context.save()
      progress.returned = save
      if random.next() % 4 == 0 {
        _ = try StoreError.mapErrors(nil, "moving the log") { try container.store.database.checkpoint(.truncate) }
      }
    }
  }
}
