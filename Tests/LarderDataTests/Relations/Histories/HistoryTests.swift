import Foundation
import LarderData
import Testing

/// Random changes of related objects, compared at every turn with plain dictionaries.
///
/// `SEED` repeats a run, `ROUNDS` multiplies its length; a failure prints the steps that are needed for it. `TRACE`
/// prints each step before it is carried out, for one that ends the program.
@Suite struct RelationHistoryTests {
  /// A hundred rounds are the 10,000 histories of the long test.
  static let historiesInARound = 100
  static let histories = 20
  static let steps = 100
  static let isTraced = ProcessInfo.processInfo.environment["TRACE"] != nil

  @Test func relationshipsAgreeWithPlainDictionaries() throws {
    let environment = ProcessInfo.processInfo.environment
    let seed = environment["SEED"].flatMap(UInt64.init) ?? RandomRun.seed
    let rounds = environment["ROUNDS"].flatMap(Int.init)
    let count = rounds.map { $0 * Self.historiesInARound } ?? Self.histories
    print("relationshipsAgreeWithPlainDictionaries: seed \(seed), \(count) histories")
    for history in 0..<UInt64(count) {
      // Most in memory, where nothing waits for a disk.
      let place: Place = history % 10 == 9 ? .disk : .memory
      if let failure = try Self.run(seed &+ history, place) {
        Issue.record("seed \(seed &+ history) (\(place)): \(failure)")
        return
      }
    }
  }

  /// - Returns: What went wrong, with the steps that lead there.
  private static func run(_ seed: UInt64, _ place: Place) throws -> String? {
    var steps: [HistoryStep] = []
    var generator = HistoryGenerator(seed: seed)
    let failure = failure(place) { run in
      for _ in 0..<Self.steps {
        let step = generator.step(run.oracle)
        steps.append(step)
        if isTraced { print("seed \(seed): \(step)") }
        try run.carryOut(step)
      }
    }
    guard let failure else { return nil }
    let short = shortened(steps, place)
    let list = short.steps.map { "\n  \($0)" }.joined()
      .replacing(#/LarderDataTests\.(HistoryStep\.|HistoryLink|HistoryKind)/#, with: "")
    return "\(short.failure ?? failure)\nafter \(short.steps.count) of \(steps.count) steps:\(list)"
  }

  private static func failure(of steps: [HistoryStep], _ place: Place) -> String? {
    failure(place) { run in for step in steps { try run.carryOut(step) } }
  }

  private static func failure(_ place: Place, _ steps: (HistoryRun) throws -> Void) -> String? {
    var pieces = WeakPieces()
    do {
      let run = try HistoryRun(place)
      try steps(run)
      try run.end()
      pieces = run.pieces
    } catch {
      return "\(error)"
    }
    // Nobody holds them any more, if they do not hold each other.
    let left = pieces.left
    return left.isEmpty ? nil : "\(left) are left when all is done"
  }

  /// The same with as many steps left out as can be.
  private static func shortened(
    _ steps: [HistoryStep], _ place: Place
  ) -> (steps: [HistoryStep], failure: String?) {
    var steps = steps
    var last = failure(of: steps, place)
    guard last != nil else { return (steps, nil) }
    var size = steps.count / 2
    while size > 0 {
      var first = 0
      var isShorter = false
      while first < steps.count {
        var fewer = steps
        fewer.removeSubrange(first..<min(steps.count, first + size))
        if let now = failure(of: fewer, place) {
          steps = fewer
          last = now
          isShorter = true
        } else {
          first += size
        }
      }
      if size > 1 { size /= 2 } else if !isShorter { break }
    }
    return (steps, last)
  }
}
