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

  /// What led to an insert that met a row met one itself, and a later insert leads that elsewhere: of those that led to such an
  /// insert the last one has the row that still leads there, and the former one stays where there is none.
  @Test(.directly("a data store decides itself what an insert is"), arguments: StoreLocation.allCases, [false, true])
  func whatGoesElsewhereTakesNoPlace(_ place: StoreLocation, _ hasAnother: Bool) throws {
    let store = try TestStore(place, Hull.self, Keel.self)
    let context = store.context()
    let (hull, other) = (Hull("k"), Hull("m"))
    context.insert(hull)
    context.insert(other)
    hull.keel = Keel("former")
    try context.save()
    if hasAnother {
      let again = Hull("k")
      context.insert(again)
      again.keel = Keel("another")
    }
    let again = Hull("k")
    context.insert(again)
    again.keel = Keel("s")
    let keel = Keel("s")
    context.insert(keel)
    keel.hull = other
    try context.save()
    #expect(hull.keel?.name == (hasAnother ? "another" : "former"))
    #expect(other.keel?.name == "s")
    for hull in try store.context().fetch(FetchDescriptor<Hull>()) {
      #expect(hull.keel?.name == (hull.name == "m" ? "s" : hasAnother ? "another" : "former"))
    }
    #expect(try store.container.integrityCheck() == [])
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
  let place: StoreLocation
  let seed: UInt64
  let policy: MergePolicy

  init(_ couple: Couple, _ contexts: Int, _ place: StoreLocation, _ seed: UInt64) {
    self.couple = couple
    self.contexts = contexts
    self.place = place
    self.seed = seed
    policy = MergePolicy.allCases[Int(seed % UInt64(MergePolicy.allCases.count))]
  }
}
