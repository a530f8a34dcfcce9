import Foundation

/// How much of a random test is run, from which seed: `make soak` and the tests' phases say so by the environment.
enum Share {
  static let seed = number("LARDER_SEED") ?? UInt64.random(in: 1...999_999_999)
  private static let size = number("LARDER_SIZE").map(Int.init)
  private static let seconds = number("LARDER_SECONDS").map(Int.init) ?? 0

  /// How many of so many rounds to run; among the package's tests, few.
  static func rounds(of whole: Int, orElse few: Int) -> Int { size.map { max(few, whole / 100 * $0) } ?? few }

  /// When the share may end at the earliest, even if it is done before.
  static func end() -> ContinuousClock.Instant { .now + .seconds(seconds) }

  private static func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }
}
