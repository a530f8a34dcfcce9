import Foundation
import LarderSQLite
import SwiftData
import TestSeeds
import Testing

@testable import LarderData

/// Random predicates and random orders, asked of rows and of what is pending: the store's answer is that of our
/// evaluator over all the objects, and Foundation's wherever that is defined.
///
/// `LARDER_SEED` repeats a run, `LARDER_SIZE` is the percentage of the 100,000 that are made.
@Suite struct RandomPredicateTests {
  static let whole = 100_000
  static let share = 2_000
  static let enoughForAll = 2_000

  static var count: Int {
    guard let size = ProcessInfo.processInfo.environment["LARDER_SIZE"].flatMap(Double.init) else { return share }
    return max(1, Int(Double(whole) * size / 100))
  }

  @Test func theStoreAnswersAsTheEvaluatorDoes() throws {
    let seed = Share.seed
    print("random predicates: seed \(seed), \(Self.count) predicates")
    var run = RandomPredicates(seed: seed)
    try run.go(Self.count)
    for problem in run.problems.prefix(5) { Issue.record("LARDER_SEED=\(seed): \(problem)") }
    let coverage = run.coverage
    let share = 100 * coverage.wholeSQL / max(1, coverage.predicates)
    print(
      "random predicates: \(coverage.wholeSQL) of \(coverage.predicates) (\(share) %) whole in SQL, "
        + "\(coverage.joined) by joined tables, \(coverage.comparedWithFoundation) compared with Foundation, \(coverage.failing) without a value"
    )
    print("random predicates: seen least often: \(coverage.rarest)")
    // In fewer, chance alone may leave one out.
    if Self.count >= Self.enoughForAll { #expect(coverage.missing(atLeast: max(1, Self.count / 1_000)) == []) }
    #expect(coverage.comparedWithFoundation >= Self.count / 4)
    #expect(coverage.joined >= Self.count / 200)
  }
}
