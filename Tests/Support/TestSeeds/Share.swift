import Foundation

/// How much of a random test is run, and from which seed, as the environment has it: `make soak` and the phases set it.
package enum Share {
  /// The first of the run's seeds: `LARDER_SEED`, or a new one.
  ///
  /// It is printed to standard error at its first use, where also a crash leaves it.
  package static let seed: UInt64 = {
    if let chosen = number("LARDER_SEED") { return chosen }
    let drawn = UInt64.random(in: 1...999_999_999)
    FileHandle.standardError.write(Data("random tests: LARDER_SEED=\(drawn)\n".utf8))
    return drawn
  }()

  /// A generator that follows from ``seed``.
  package static var generator: SeededGenerator { SeededGenerator(seed: seed) }

  /// By how much the ordinary number of rounds is multiplied (`ROUNDS`); nil in an ordinary run.
  package static let multiplier = number("ROUNDS").map(Int.init)

  /// Percent of the whole (`LARDER_SIZE`); nil in an ordinary run.
  private static let size = number("LARDER_SIZE").map(Int.init)
  /// Goes on for this long even if the share is done before.
  private static let seconds = number("LARDER_SECONDS").map(Int.init) ?? 0
  /// In an ordinary run a long test takes a hundredth of itself.
  private static let smallest = 1

  /// How many of so many rounds to run: at least so many that they say something.
  package static func rounds(of whole: Int, atLeast least: Int) -> Int {
    max(least, (whole * (size ?? smallest) + 99) / 100)
  }

  /// The same of what takes long: of less than the whole, a part of the share.
  package static func rounds(of whole: Int, atLeast least: Int, thinned part: Int) -> Int {
    let size = size ?? smallest
    return size >= 100 ? whole : max(least, (whole * size + 99) / 100 / part)
  }

  /// How many of so many rounds to run; in an ordinary run, few. Of what takes long, a part of the share.
  package static func rounds(of whole: Int, orElse few: Int, thinned part: Int = 1) -> Int {
    size.map { max(few, whole / 100 * $0 / ($0 < 100 ? part : 1)) } ?? few
  }

  /// The whole, where that is run, or a little of it: of what says as much by a few rounds, or takes long.
  package static func all(of whole: Int, orElse few: Int) -> Int { (size ?? smallest) >= 100 ? whole : few }

  /// How many steps a random run has; `LARDER_STEPS` sets another number.
  package static func steps(_ usual: Int) -> Int { number("LARDER_STEPS").map(Int.init) ?? usual }

  /// When the share may end at the earliest, even if it is done before.
  package static func end() -> ContinuousClock.Instant { .now + .seconds(seconds) }

  private static func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }
}
