import Foundation
import LarderSQLite
import TestSeeds
import Testing

@testable import LarderData

/// No condition is deeper than the database's parser can read.
@Suite struct ParserDepthTests {
  static let patterns: [(String, String)] = [
    ("(1 AND ", ")"), ("(1 OR (1 AND ", "))"), ("coalesce(1, ", ")"), ("(NOT ", ")"), ("(1 = ", ")"),
    ("CASE WHEN 1 THEN ", " END"), ("CASE WHEN 1 THEN 0 ELSE ", " END"), ("CASE WHEN ", " THEN 1 ELSE 0 END"),
    ("(1 AND CASE WHEN 1 THEN ", " ELSE 0 END)"), ("EXISTS (SELECT 1 FROM t AS a WHERE a.x = 1 AND ", ")"),
    (
      "EXISTS (SELECT 1 FROM t AS p JOIN t AS a ON a.x = p.x LEFT JOIN t AS b ON b.x = a.x WHERE p.x = 1 AND CASE WHEN p.x = 1 THEN ",
      " ELSE 0 END)"
    ),
    ("((SELECT count(*) FROM t AS a WHERE a.x = 1 AND ", ") >= 1)"),
    ("(1 <= (2 + (3 * ", ")))"), ("t.x IN (SELECT a.x FROM t AS a WHERE (", " IS NOT 1))"),
    ("(max(1, 2, ", ") IN (SELECT value FROM t))"), ("(1 OR 1 AND NOT 1 = 2 < 3 + 4 * ", ")"),
  ]

  /// Each construct by itself, and all of them within one another.
  @Test func countIsNeverLessThanWhatTheParserNeeds() throws {
    let connection = try Connection(path: ":memory:")
    defer { connection.close() }
    try connection.execute("CREATE TABLE t (x, value)")
    var random = SeededGenerator(seed: 1)
    for choice in 0..<(Self.patterns.count + 200) {
      var (text, deepest) = ("1", "1")
      for _ in 0..<60 {
        let pattern =
          choice < Self.patterns.count
          ? Self.patterns[choice] : Self.patterns[Int.random(in: 0..<Self.patterns.count, using: &random)]
        text = pattern.0 + text + pattern.1
        if ParserDepth.of(text) > ParserDepth.limit { break }
        deepest = text
      }
      #expect(throws: Never.self, "\(deepest)") {
        _ = try connection.prepare("SELECT count(*) FROM (SELECT 1 FROM t WHERE \(deepest) ORDER BY x LIMIT ?)")
      }
    }
  }

  /// What is too deep is answered all the same.
  @Test func deepPredicatesAreAnswered() throws {
    let context = ModelContext(
      try ModelContainer(for: Squad.self, Player.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    for number in 0..<10 { context.insert(Player(number: number)) }
    try context.save()
    var predicate = #Predicate<Player> { $0.number > 4 }
    for step in 0..<60 {
      let (other, least) = (predicate, #Predicate<Player> { $0.number != step })
      predicate = step.isMultiple(of: 2) ? other.and(least) : other.negated.or(least).negated
    }
    let evaluated = try context.fetch(FetchDescriptor<Player>()).filter { try predicate.evaluate($0) }
    #expect(try context.fetch(FetchDescriptor(predicate: predicate)).count == evaluated.count)
  }
}
