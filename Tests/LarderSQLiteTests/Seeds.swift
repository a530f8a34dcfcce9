import TestSeeds

/// The seeds of a run, printed with what fails: from `LARDER_SEED` on, `ROUNDS` times as many.
enum Seeds {
  static func some(_ count: Int) -> [UInt64] {
    (0..<UInt64(count * max(1, Share.multiplier ?? 1))).map { Share.seed &+ $0 }
  }
}
