import Foundation
import LarderData
import Testing

/// Random changes of related objects, compared at every turn with plain dictionaries.
///
/// `LARDER_SEED` repeats a run, `ROUNDS` multiplies its length; a failure prints the steps that are needed for it. `TRACE`
/// prints each step before it is carried out, for one that ends the program.
@Suite struct RelationHistoryTests {
  private static let isTraced = ProcessInfo.processInfo.environment["TRACE"] != nil

  @Test func relationshipsAgreeWithPlainDictionaries() {
    let histories = RandomHistories(of: "relationshipsAgreeWithPlainDictionaries")
    #expect(histories.run(Self.run))
  }

  /// - Returns: What went wrong, with the steps that lead there.
  private static func run(_ seed: UInt64, _ place: StoreLocation) -> String? {
    var steps: [HistoryStep] = []
    var generator = HistoryGenerator(seed: seed)
    let failure = failure(place) { run in
      for _ in 0..<RandomHistories.steps {
        let step = generator.step(run.oracle)
        steps.append(step)
        if isTraced { print("seed \(seed): \(step)") }
        try run.carryOut(step)
      }
    }
    return failure.map { failure in
      let failed = FailedHistory(steps, failure) { steps in
        Self.failure(place) { run in for step in steps { try run.carryOut(step) } }
      }
      return "\(failed)"
    }
  }

  private static func failure(_ place: StoreLocation, _ steps: (HistoryRun) throws -> Void) -> String? {
    var pieces = WeakPieces()
    do {
      let run = try HistoryRun(place)
      try steps(run)
      try run.end()
      pieces = run.pieces
    } catch {
      return "\(error)"
    }
    return pieces.failure
  }
}
