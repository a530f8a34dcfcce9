import Foundation
import Testing

/// Random predicates find what a translator would get wrong: mistakes that were planted in its SQL.
@Suite struct PlantedMistakeTests {
  struct Mistake: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let pattern: String
    let replacement: String

    func make(_ text: String) -> String {
      text.replacingOccurrences(of: pattern, with: replacement, options: .regularExpression)
    }
  }

  static let mistakes = [
    Mistake(
      testDescription: "objects without a related one are left out", pattern: " LEFT JOIN ", replacement: " JOIN "),
    Mistake(testDescription: "NULL differs from nothing", pattern: " IS NOT (?!NULL)", replacement: " <> "),
    Mistake(testDescription: "the end of a range is no part of it", pattern: " <= ", replacement: " < "),
    Mistake(
      testDescription: "a to-many has the elements of all",
      pattern: "EXISTS \\(SELECT 1 FROM (\"\\w+\" AS larder_\\d+) WHERE [^ ]+ = [^ ]+ AND",
      replacement: "EXISTS (SELECT 1 FROM $1 WHERE"),
    Mistake(testDescription: "decimals are compared as text", pattern: " COLLATE larder_decimal", replacement: ""),
  ]

  /// Enough for each of them, and a second or two.
  static let count = 1_500

  @Test(arguments: mistakes) func isFound(_ mistake: Mistake) throws {
    var run = RandomPredicates(seed: 1, mistake: mistake.make)
    try run.go(Self.count)
    #expect(run.problems.first?.contains(" instead of ") == true)
    print("random predicates: after \(run.coverage.predicates), \(mistake.testDescription)")
  }
}
