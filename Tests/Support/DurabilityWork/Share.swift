import Foundation

/// How much of a long test is run, from which seed: `make soak` and the tests' phases say so by the environment.
package enum Share {
  /// The first of the run's seeds, new each time unless `LARDER_SEED` chooses it.
  package static let seed = number("LARDER_SEED") ?? UInt64.random(in: 1...999_999_999)
  /// Percent of the whole.
  private static let size = number("LARDER_SIZE").map(Int.init) ?? smallest
  /// Goes on for this long even if the share is done before.
  private static let seconds = number("LARDER_SECONDS").map(Int.init) ?? 0
  /// Among the package's tests a long one runs a hundredth of itself.
  private static let smallest = 1

  /// How many of so many rounds to run: at least so many that they say something.
  package static func rounds(of whole: Int, atLeast least: Int) -> Int { max(least, (whole * size + 99) / 100) }

  /// The same of what takes long: of less than the whole, a part of the share.
  package static func rounds(of whole: Int, atLeast least: Int, thinned part: Int) -> Int {
    size >= 100 ? whole : max(least, (whole * size + 99) / 100 / part)
  }

  /// The whole, where that is run, or a little of it: of what says as much by a few rounds, or takes long.
  package static func all(of whole: Int, orElse few: Int) -> Int { size >= 100 ? whole : few }

  /// When the share may end.
  package static func end() -> ContinuousClock.Instant { .now + .seconds(seconds) }

  private static func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }
}
