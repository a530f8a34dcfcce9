import DurabilityWork
import Foundation
import SharedWork
import SwiftData
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Two processes that write and one that reads are killed at random instants, alone and together.
@Suite struct SharedKillTests {
  /// The whole, of which `LARDER_SIZE` says the percentage.
  private static let whole = 2_000
  /// Enough for each of the three to be among them.
  private static let least = 30

  /// Each save that returned is there once, no edit of another is lost, and whoever reads on from his token misses nothing.
  @Test func processesThatShareAStoreAreKilled() throws {
    let kills = Share.rounds(of: Self.whole, atLeast: Self.least)
    let end = Share.end()
    var done = 0
    var saves = 0
    var round: UInt64 = 0
    repeat {
      round += 1
      let scene = try SharedKills(seed: Share.seed &+ round)
      // Not for ever one store: the history of all saves is read at each look.
      for _ in 0..<12 where done < kills || ContinuousClock.now < end {
        done += try scene.round()
        if !scene.problems.isEmpty { break }
      }
      try scene.end()
      saves += scene.saves
      for problem in scene.problems { Issue.record("seed \(Share.seed &+ round): \(problem)") }
      if !scene.problems.isEmpty { break }
    } while done < kills || ContinuousClock.now < end
    print("seed \(Share.seed): \(done) kills of processes that share a store, \(saves) saves had returned")
    #expect(done >= kills)
    #expect(saves > 0)
  }
}

/// A store that processes share until they are killed, again and again.
private final class SharedKills {
  /// A process that has not begun by now never will; and one that has not been told by now never is.
  private static let patience = Duration.seconds(60)

  private final class Victim {
    let role: [String]
    let marks: Marks
    let output: URL
    var process: ChildProcess?

    init(_ role: [String], _ marks: Marks, _ output: URL) {
      self.role = role
      self.marks = marks
      self.output = output
    }
  }

  private let folder: WorkFolder
  private var random: SeededGenerator
  private var victims: [Victim] = []
  private var questions = 0
  private(set) var problems: [String] = []

  var saves: Int { victims.prefix(SharedStore.writers).reduce(0) { $0 + $1.marks.returned } }

  init(seed: UInt64) throws {
    folder = try WorkFolder()
    random = SeededGenerator(seed: seed)
    let store = folder.path("test.store")
    try SharedStore.fill(store)
    for number in 0...SharedStore.writers {
      let page = folder.path("page\(number)")
      guard let marks = Marks(path: page) else { throw ChildProcess.Failure("no page \(page)") }
      marks.reset(returned: 0)
      let role =
        number < SharedStore.writers
        ? ["write", store, page, "\(seed)", "\(number)"] : ["read", store, page, folder.url.path]
      victims.append(Victim(role, marks, folder.file("printed\(number)")))
    }
  }

  deinit {
    for victim in victims {
      victim.process?.killNow()
      _ = victim.process?.wait()
    }
  }

  /// Kills some of them, and at times looks at what there is.
  ///
  /// - Returns: How many were killed.
  func round() throws -> Int {
    for victim in victims where victim.process == nil { try start(victim) }
    for victim in victims { try awaitStart(victim) }
    usleep(UInt32.random(in: 0..<80_000, using: &random))
    let looks = random.next() % 4 == 0
    let chosen = looks ? Array(victims.prefix(SharedStore.writers)) : victims.filter { _ in random.next() % 2 == 0 }
    for victim in chosen {
      usleep(UInt32.random(in: 0..<20_000, using: &random))
      kill(victim)
    }
    if looks { try look() }
    return chosen.count
  }

  private func start(_ victim: Victim) throws {
    victim.marks.reset(returned: victim.marks.returned)
    victim.process = try ChildProcess("SharedVictim", victim.role, output: victim.output)
  }

  private func awaitStart(_ victim: Victim) throws {
    let limit = ContinuousClock.now + Self.patience
    while !victim.marks.isReady {
      if victim.process?.hasEnded == true || ContinuousClock.now > limit {
        problems.append("\(victim.role[0]) did not begin: \(victim.process?.printed ?? "")")
        return
      }
      usleep(500)
    }
  }

  private func kill(_ victim: Victim) {
    guard let process = victim.process else { return }
    process.killNow()
    let end = process.wait()
    if end != .signal(SIGKILL) { problems.append("\(victim.role[0]) ended by itself: \(end) \(process.printed)") }
    victim.process = nil
  }

  /// While nobody writes, the reader is told of everything that there is, and that is what there must be.
  private func look() throws {
    questions += 1
    try "\(questions)".write(to: folder.file("ask"), atomically: true, encoding: .utf8)
    let limit = ContinuousClock.now + Self.patience
    while (try? String(contentsOf: folder.file("answer"), encoding: .utf8)) != "\(questions)" {
      guard let reader = victims.last?.process, !reader.hasEnded, ContinuousClock.now < limit else {
        problems.append("the reader was not told of everything: \(victims.last?.process?.printed ?? "")")
        return
      }
      usleep(1_000)
    }
    let promised = victims.prefix(SharedStore.writers).map { (returned: $0.marks.returned, begun: $0.marks.begun) }
    problems += try SharedStore.problems(folder.path("test.store"), promised: promised)
  }

  func end() throws {
    for victim in victims.prefix(SharedStore.writers) { kill(victim) }
    if problems.isEmpty {
      for victim in victims.suffix(1) where victim.process == nil {
        try start(victim)
        try awaitStart(victim)
      }
      try look()
    }
    for victim in victims.suffix(1) { kill(victim) }
  }
}
