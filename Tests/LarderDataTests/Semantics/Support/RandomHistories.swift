import Foundation
import TestSeeds
import Testing

/// Random histories, one after the other: `LARDER_SEED` repeats them, `ROUNDS` multiplies how many there are.
struct RandomHistories {
  /// A hundred rounds are the 10,000 histories of the long test.
  private static let inARound = 100
  static let usual = 20
  /// How many steps each has.
  static let steps = 100

  let seed: UInt64
  let count: Int
  private let diskEvery: UInt64

  /// - Parameters:
  ///   - test: Whose they are, which is printed with the seed.
  ///   - usual: How many there are where nothing else is said.
  ///   - diskEvery: One of so many is on disk. Most are in memory, where nothing waits for a disk.
  init(of test: String, usual: Int = RandomHistories.usual, diskEvery: UInt64 = 10) {
    self.diskEvery = diskEvery
    seed = Share.seed
    count = Share.multiplier.map { $0 * Self.inARound } ?? usual
    print("\(test): seed \(seed), \(count) histories")
  }

  /// Carries out one after the other, until one fails, which is an issue.
  ///
  /// - Parameter failure: What went wrong with the history that follows from a seed.
  /// - Returns: Whether none failed.
  func run(_ failure: (_ seed: UInt64, _ place: StoreLocation) -> String?) -> Bool {
    for history in 0..<UInt64(count) {
      let seed = seed &+ history
      // By the seed, which repeats the history where it was.
      let place: StoreLocation = seed % diskEvery == diskEvery - 1 ? .disk : .memory
      if let failure = failure(seed, place) {
        Issue.record("LARDER_SEED=\(seed) (\(place)): \(failure)")
        return false
      }
    }
    return true
  }
}

/// A history that failed, with as many of its steps left out as can be.
struct FailedHistory<Step> {
  private(set) var steps: [Step]
  private(set) var failure: String
  private let count: Int

  /// - Parameters:
  ///   - failure: What went wrong when all steps were carried out.
  ///   - failing: What goes wrong when some are.
  init(_ steps: [Step], _ failure: String, _ failing: ([Step]) -> String?) {
    self.steps = steps
    self.failure = failure
    count = steps.count
    // What does not fail a second time is told as it was.
    if failing(steps) != nil { shorten(failing) }
  }

  private mutating func shorten(_ failing: ([Step]) -> String?) {
    var size = max(1, steps.count / 2)
    while size > 0 {
      var first = 0
      var isShorter = false
      while first < steps.count {
        var fewer = steps
        fewer.removeSubrange(first..<min(steps.count, first + size))
        if let now = failing(fewer) {
          steps = fewer
          failure = now
          isShorter = true
        } else {
          first += size
        }
      }
      if size > 1 { size /= 2 } else if !isShorter { break }
    }
  }
}

extension FailedHistory: CustomStringConvertible {
  /// What went wrong, and the steps that lead there, without the names of the types that they are made of.
  var description: String {
    let list = steps.map { "\n  \($0)" }.joined().replacing(#/LarderDataTests\.([A-Z]\w*\.)*/#, with: "")
    return "\(failure)\nafter \(steps.count) of \(count) steps:\(list)"
  }
}
