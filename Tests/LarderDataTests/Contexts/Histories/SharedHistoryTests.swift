import Foundation
import LarderData
import Testing

/// Random changes of related objects in several contexts of one store.
///
/// `SEED` repeats a run, `ROUNDS` multiplies its length; a failure prints the steps that are needed for it.
@Suite struct SharedHistoryTests {
  /// A hundred rounds are the 10,000 histories of the long test.
  static let historiesInARound = 100
  static let histories = 20
  static let steps = 100

  @Test func contextsAgreeWithTheirPolicies() throws {
    let environment = ProcessInfo.processInfo.environment
    let seed = environment["SEED"].flatMap(UInt64.init) ?? RandomRun.seed
    let rounds = environment["ROUNDS"].flatMap(Int.init)
    let count = rounds.map { $0 * Self.historiesInARound } ?? Self.histories
    print("contextsAgreeWithTheirPolicies: seed \(seed), \(count) histories")
    var saves = 0
    var drops = 0
    var refusals: [SaveError.Code: Int] = [:]
    for history in 0..<UInt64(count) {
      let place: Place = history % 10 == 9 ? .disk : .memory
      var generator = SharedGenerator(seed: seed &+ history, contexts: SharedRun.policies.count)
      let steps = (0..<Self.steps).map { _ in generator.step() }
      let outcome = Self.outcome(of: steps, place)
      saves += outcome.saves
      drops += outcome.drops
      refusals.merge(outcome.refusals, uniquingKeysWith: +)
      guard let failure = outcome.failure else { continue }
      let short = Self.shortened(steps, place)
      let list = short.map { "\n  \($0)" }.joined()
        .replacing(#/LarderDataTests\.(SharedStep\.|Action\.|HistoryLink\.?|HistoryKind\.?)*/#, with: "")
      Issue.record(
        "seed \(seed &+ history) (\(place)): \(Self.outcome(of: short, place).failure ?? failure)\nafter:\(list)")
      return
    }
    print("contextsAgreeWithTheirPolicies: \(saves) saves, \(drops) edits dropped, refused: \(refusals)")
    #expect(saves > count * 3)
    // That nothing was refused, or dropped, would say that the contexts never met. In a few histories that may be.
    guard count >= 500 else { return }
    #expect(drops > 0)
    #expect(refusals[.mergeConflict, default: 0] > 0 && refusals[.vanishedRow, default: 0] > 0)
  }

  private struct Outcome {
    var failure: String?
    var saves = 0
    var drops = 0
    var refusals: [SaveError.Code: Int] = [:]
  }

  private static func outcome(of steps: [SharedStep], _ place: Place) -> Outcome {
    var outcome = Outcome()
    var pieces = WeakPieces()
    do {
      let run = try SharedRun(place)
      for step in steps { try run.carryOut(step) }
      try run.end()
      (outcome.saves, outcome.drops, outcome.refusals) = (run.saves, run.drops, run.refusals)
      pieces = run.pieces
    } catch {
      outcome.failure = "\(error)"
      return outcome
    }
    // Nobody holds them any more, if they do not hold each other.
    if !pieces.left.isEmpty { outcome.failure = "\(pieces.left) are left when all is done" }
    return outcome
  }

  /// The same with as many steps left out as can be.
  private static func shortened(_ steps: [SharedStep], _ place: Place) -> [SharedStep] {
    var steps = steps
    guard outcome(of: steps, place).failure != nil else { return steps }
    var size = steps.count / 2
    while size > 0 {
      var first = 0
      var isShorter = false
      while first < steps.count {
        var fewer = steps
        fewer.removeSubrange(first..<min(steps.count, first + size))
        if outcome(of: fewer, place).failure != nil {
          steps = fewer
          isShorter = true
        } else {
          first += size
        }
      }
      if size > 1 { size /= 2 } else if !isShorter { break }
    }
    return steps
  }
}
