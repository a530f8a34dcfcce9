import Foundation
import LarderData
import TestSeeds
import Testing

/// Random changes of related objects in several contexts of one store.
///
/// `LARDER_SEED` repeats a run, `ROUNDS` multiplies its length; a failure prints the steps that are needed for it.
@Suite struct SharedHistoryTests {
  @Test func contextsAgreeWithTheirPolicies() {
    let histories = RandomHistories(of: "contextsAgreeWithTheirPolicies")
    var counts = Counts()
    guard histories.run({ Self.run($0, $1, &counts) }) else { return }
    let refusals = counts.refusals
    print(
      "contextsAgreeWithTheirPolicies: \(counts.saves) saves, \(counts.undone) undone, \(counts.redone) redone, "
        + "\(counts.drops) edits dropped, refused: \(refusals)")
    #expect(counts.saves > histories.count * 3)
    // That nothing was refused, or dropped, would say that the contexts never met. In a few histories that may be.
    guard histories.count >= 500 else { return }
    #expect(counts.drops > 0 && counts.undone > 0 && counts.redone > 0)
    #expect(refusals[.mergeConflict, default: 0] > 0 && refusals[.rowDeleted, default: 0] > 0)
  }

  /// `MINUTES` of it in one process: contexts that go leave nothing behind.
  @Test(.enabled(if: ResidentMemory.minutes != nil, "it takes MINUTES"))
  func memoryDoesNotGrow() throws {
    let minutes = try #require(ResidentMemory.minutes)
    var memory = ResidentMemory(minutes: minutes)
    var counts = Counts()
    var seed = Share.seed
    print("memoryDoesNotGrow: seed \(seed), \(minutes) minutes")
    while memory.goesOn() {
      let place: StoreLocation = seed % 10 == 9 ? .disk : .memory
      let failure = Self.run(seed, place, &counts)
      try #require(failure == nil, "seed \(seed) (\(place)): \(failure ?? "")")
      seed &+= 1
    }
    print("memoryDoesNotGrow: \(memory)")
    #expect(memory.growth < ResidentMemory.slack, "\(memory)")
  }

  private struct Counts {
    var saves = 0
    var drops = 0
    var undone = 0
    var redone = 0
    var refusals: [SaveError.Code: Int] = [:]
  }

  private static func run(_ seed: UInt64, _ place: StoreLocation, _ counts: inout Counts) -> String? {
    var generator = SharedGenerator(seed: seed, contexts: SharedRun.policies.count)
    let steps = (0..<RandomHistories.steps).map { _ in generator.step() }
    return failure(of: steps, place, &counts).map { failure in
      let failed = FailedHistory(steps, failure) { steps in
        var others = Counts()
        return Self.failure(of: steps, place, &others)
      }
      return "\(failed)"
    }
  }

  private static func failure(of steps: [SharedStep], _ place: StoreLocation, _ counts: inout Counts) -> String? {
    var pieces = WeakPieces()
    do {
      let run = try SharedRun(place)
      for step in steps { try run.carryOut(step) }
      try run.end()
      counts.saves += run.saves
      counts.drops += run.drops
      counts.undone += run.undone
      counts.redone += run.redone
      counts.refusals.merge(run.refusals, uniquingKeysWith: +)
      pieces = run.pieces
    } catch {
      return "\(error)"
    }
    return pieces.failure
  }
}
