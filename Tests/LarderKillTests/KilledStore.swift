import DurabilityWork
import Foundation
import SwiftData

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A store that processes save to until they are killed, again and again.
struct KilledStore {
  /// The most slots that one operation of a save touches.
  private static let scale = 1_600
  /// A process that has not begun to save by now never will.
  private static let longestStart = Duration.seconds(60)
  /// The latest instant of a kill, counted from the first save: some tens of saves.
  private static let latestKill = 400_000
  /// The latest instant of a kill that is to fall into the opening, counted from the process's start.
  private static let latestEarlyKill = 60_000

  private let folder: WorkFolder
  private let seed: UInt64
  private var random: SeededGenerator
  private var ledgers: [Ledger]

  init(seed: UInt64) throws {
    folder = try WorkFolder()
    self.seed = seed
    random = SeededGenerator(seed: seed)
    ledgers = (0..<2).map { Ledger(Writer(seed: seed, number: $0, scale: KilledStore.scale)) }
  }

  private struct Victim {
    let writer: Int
    let process: ChildProcess
    let marks: Marks
  }

  /// Starts one or two processes, kills them, and looks at what they leave.
  mutating func round() throws -> KillCounts {
    var counts = KillCounts()
    let isTogether = random.next() % 6 == 0
    let isEarly = random.next() % 12 == 0
    let writers = isTogether ? [0, 1].shuffled(using: &random) : [Int(random.next() % 2)]
    let victims = try writers.map { try start($0) }
    for victim in victims {
      if !isEarly, let problem = awaitFirstSave(victim) { counts.problems.append(problem) }
      usleep(UInt32.random(in: 0..<UInt32(isEarly ? Self.latestEarlyKill : Self.latestKill), using: &random))
      victim.process.killNow()
      let end = victim.process.wait()
      if end != .signal(SIGKILL) {
        counts.problems.append("seed \(seed): the process ended by itself: \(end) \(victim.process.printed)")
      }
      counts.kills += 1
      if isTogether { counts.together += 1 }
      if !victim.marks.isReady { counts.opening += 1 }
      if victim.marks.isInsideSave { counts.inside += 1 }
      if victim.marks.isCommittingSave { counts.committing += 1 }
    }
    try check(victims, &counts)
    return counts
  }

  private func start(_ writer: Int) throws -> Victim {
    let page = folder.path("page\(writer)")
    guard let marks = Marks(path: page) else { throw ChildProcess.Failure("no page \(page)") }
    marks.reset(returned: ledgers[writer].save)
    let process = try ChildProcess(
      "KillVictim", [folder.path("test.store"), page, "\(seed)", "\(writer)", "\(Self.scale)"],
      output: folder.file("printed\(writer)"))
    return Victim(writer: writer, process: process, marks: marks)
  }

  private func awaitFirstSave(_ victim: Victim) -> String? {
    let limit = ContinuousClock.now + Self.longestStart
    while !victim.marks.isReady {
      if victim.process.hasEnded { return nil }
      if ContinuousClock.now > limit { return "seed \(seed): the process did not begin to save" }
      usleep(500)
    }
    return nil
  }

  private mutating func check(_ victims: [Victim], _ counts: inout KillCounts) throws {
    let container = try Writer.open(folder.path("test.store"))
    var problems: [String] = []
    if let problem = try Ledger.integrityProblem(in: container) { problems.append(problem) }
    for victim in victims {
      let before = ledgers[victim.writer].save
      let returned = victim.marks.returned
      problems += try ledgers[victim.writer].problems(in: container, returned: returned, begun: victim.marks.begun)
      counts.saves += returned - before
      if ledgers[victim.writer].save > returned { counts.wholeUnreturned += 1 }
    }
    // Who did not write has lost nothing either.
    for writer in ledgers.indices where !victims.contains(where: { $0.writer == writer }) {
      let save = ledgers[writer].save
      problems += try ledgers[writer].problems(in: container, returned: save, begun: save)
    }
    counts.problems += problems.prefix(5).map { "seed \(seed), writers \(victims.map(\.writer)): \($0)" }
  }
}
