import Dispatch
import DurabilityWork
import Foundation
import Synchronization
import Testing

/// A process that saves is killed at random instants. Each save that had returned is whole; no other is half there.
@Suite struct KillTests {
  /// The whole, of which `LARDER_SIZE` says the percentage.
  private static let whole = 1_000
  /// Enough for all kinds of kills to be among them.
  private static let least = 10
  /// Of the whole, so many fall between BEGIN and COMMIT; of a share, which chance decides more, half as many.
  private static let insideShare = 0.3
  private static let enoughToTell = 500
  private static let enoughToGuess = 50
  /// So many rounds see the same store; then a new one begins, so that its making is killed, too.
  private static let roundsOfStore = 12

  @Test func killedProcessesLoseNoSaveThatReturned() {
    let rounds = Share.rounds(of: Self.whole, atLeast: Self.least)
    let end = Share.end()
    let total = Mutex(KillCounts())
    // The first failure ends the run: what follows it on the same store would say the same.
    @Sendable func goesOn(_ counts: KillCounts) -> Bool {
      counts.problems.isEmpty && (counts.kills < rounds || ContinuousClock.now < end)
    }
    let stores = Atomic<Int>(0)
    DispatchQueue.concurrentPerform(iterations: max(1, ProcessInfo.processInfo.activeProcessorCount)) { _ in
      while total.withLock({ goesOn($0) }) {
        let seed = Share.seed &+ UInt64(stores.add(1, ordering: .relaxed).newValue)
        do {
          var store = try KilledStore(seed: seed)
          for _ in 0..<Self.roundsOfStore {
            let counts = try store.round()
            let isDone = total.withLock { total in
              total.add(counts)
              return !goesOn(total)
            }
            if isDone { break }
          }
        } catch {
          total.withLock { $0.problems.append("seed \(seed): \(error)") }
        }
      }
    }
    let counts = total.withLock { $0 }
    print("seed \(Share.seed): \(counts)")
    for problem in counts.problems { Issue.record("\(problem)") }
    #expect(counts.kills >= rounds)
    #expect(counts.saves > 0)
    if counts.kills >= Self.enoughToGuess {
      let least = counts.kills >= Self.enoughToTell ? Self.insideShare : Self.insideShare / 2
      #expect(Double(counts.inside) >= least * Double(counts.kills), "\(counts)")
    }
  }
}
