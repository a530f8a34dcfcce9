import Foundation
import LarderData
import SwiftData
import TestSeeds
import Testing

/// Random inserts of what is there already, at either end of a relationship of one to one, or at both: there is one partner for
/// each afterwards, in the store and in every context.
///
/// `LARDER_SEED` repeats a run, `ROUNDS` multiplies its length; a failure prints the steps that are needed for it.
@Suite struct UnitedCouplesTests {
  @Test(.directly("a data store decides itself what an insert is"), arguments: Couple.allCases, [1, 2])
  func eachHasOnePartner(_ couple: Couple, _ contexts: Int) {
    let histories = RandomHistories(of: "eachHasOnePartner (\(couple), \(contexts))", usual: 60)
    #expect(histories.run { seed, place in Self.run(CoupleSetting(couple, contexts, place, seed)) })
  }

  private static func run(_ setting: CoupleSetting) -> String? {
    var generator = CoupleGenerator(setting)
    let steps = (0..<40).map { _ in generator.step() }
    return failure(setting, steps).map { failure in "\(FailedHistory(steps, failure) { Self.failure(setting, $0) })" }
  }

  private static func failure(_ setting: CoupleSetting, _ steps: [CoupleStep]) -> String? {
    do {
      let run = try CoupleRun(setting)
      for step in steps { try run.carryOut(step) }
      return nil
    } catch {
      return "\(error)"
    }
  }
}

struct CoupleSetting {
  let couple: Couple
  let contexts: Int
  let place: Place
  let seed: UInt64
  let policy: MergePolicy

  init(_ couple: Couple, _ contexts: Int, _ place: Place, _ seed: UInt64) {
    self.couple = couple
    self.contexts = contexts
    self.place = place
    self.seed = seed
    policy = MergePolicy.allCases[Int(seed % UInt64(MergePolicy.allCases.count))]
  }
}
