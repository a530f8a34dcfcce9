import DurabilityWork
import LarderData
import LarderSQLite
import LarderTesting
import SwiftData
import Testing

/// The power goes at any operation of a store's life. Each save that had returned is whole; no other is half there.
@Suite struct PowerCutTests {
  /// The whole, of which `LARDER_SIZE` says the percentage.
  private static let whole = 200
  /// Enough for all kinds of cuts to be among them.
  private static let least = 40
  /// One file goes through so many cuts, one after another.
  private static let cutsOfStore = 4

  @Test func powerCutsLoseNoSaveThatReturned() throws {
    let rounds = Share.rounds(of: Self.whole, atLeast: Self.least)
    let end = Share.end()
    var counts = PowerCuts.Counts()
    var seed = Share.seed
    while counts.problems.isEmpty, counts.cuts < rounds || ContinuousClock.now < end {
      var store = try PowerCuts(seed: seed)
      for _ in 0..<Self.cutsOfStore where counts.problems.isEmpty { try store.cut(&counts) }
      seed &+= 1
    }
    print("seeds from \(Share.seed): \(counts)")
    for problem in counts.problems { Issue.record("\(problem)") }
    #expect(counts.cuts >= rounds)
    #expect(counts.saves > 0)
  }

  /// The proof that this disk loses things: without waiting for it, saves that had returned are gone.
  @Test func withoutWaitingForTheDiskSavesAreLost() throws {
    var counts = PowerCuts.Counts()
    for seed in 1...60 as ClosedRange<UInt64> where counts.problems.isEmpty {
      var store = try PowerCuts(seed: seed, durability: .relaxed)
      try store.cut(&counts)
    }
    #expect(counts.problems.contains { $0.contains("had returned") })
  }
}
