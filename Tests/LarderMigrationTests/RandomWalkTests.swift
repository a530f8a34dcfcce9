import DurabilityWork
import Foundation
import SwiftData
import Testing
import Versions

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Stores go from version to version of two models, at random, with objects that come at each: what is there is what the
/// oracle says, or the way is refused and the store is as it was. `LARDER_SEED` repeats a run.
@Suite struct RandomWalkTests {
  /// The whole, of which `LARDER_SIZE` says the percentage.
  private static let whole = 200
  private static let least = 20
  /// Versions of one walk.
  private static let length = 8

  @Test func walksLeadWhereTheOracleSays() throws {
    var moves = 0
    var refusals = 0
    for index in 0..<UInt64(Share.rounds(of: Self.whole, atLeast: Self.least)) {
      let seed = Share.seed &+ index
      let folder = try WorkFolder()
      var walk = Walk(seed: seed, url: folder.file("walk.store"))
      try walk.insert(12)
      for _ in 1..<Self.length {
        let before = walk.refusals
        let problem = try walk.go(to: walk.choose())
        try #require(problem == nil, "seed \(seed): \(problem ?? "")")
        if walk.refusals == before {
          moves += 1
          try walk.insert(6)
        }
      }
      refusals += walk.refusals
    }
    print("walks from seed \(Share.seed): \(moves) moves, \(refusals) refused")
    #expect(moves > 0 && refusals > 0)
  }

  /// By plans of 2 to 8 versions, over all of them at one opening, or with a stop between.
  @Test func plansLeadWhereTheOracleSays() throws {
    var hops = 0
    var own = 0
    var refusals = 0
    for index in 0..<UInt64(Share.rounds(of: Self.whole, atLeast: Self.least)) {
      let seed = Share.seed &+ index
      let folder = try WorkFolder()
      var random = SeededGenerator(seed: seed)
      var walk = Walk(seed: seed, url: folder.file("walk.store"))
      try walk.insert(12)
      let chain = Chain(from: walk.version, walk.state, random: &random)
      let stop = Int.random(in: 0...2 * chain.stages.count, using: &random)
      let way = "seed \(seed), by \(chain.text)" + (stop < chain.stages.count ? ", stopping after \(stop)" : "")
      if stop < chain.stages.count {
        let first = chain.prefix(stop)
        let found = try first.read(first.open(walk.url))
        try #require(found == first.expected(walk.state), "\(way)")
      }
      if let expected = chain.expected(walk.state) {
        for _ in 0..<2 {
          let found = try chain.read(chain.open(walk.url))
          try #require(found == expected, "\(way)")
        }
        hops += chain.stages.count
        own += chain.stages.count(where: \.isCustom)
      } else {
        #expect(throws: StoreError.self, "\(way)") { try chain.open(walk.url) }
        if stop >= chain.stages.count { try #require(try walk.problem() == nil, "\(way)") }
        refusals += 1
      }
      #expect(!folder.names.contains { $0.contains("stage") }, "\(way)")
    }
    print("plans from seed \(Share.seed): \(hops) stages, \(own) with work of their own, \(refusals) refused")
    #expect(hops > 0 && own > 0)
  }

  /// Kills of a store.
  private static let kills = 20
  /// The latest instant of a kill that waits for nothing: a process has begun and migrated by then.
  private static let latestKill: UInt32 = 150_000
  /// The latest after the migration's transaction has begun: about what it takes.
  private static let latestInside: UInt32 = 60_000
  /// How long a transaction may take to begin.
  private static let patience = Duration.seconds(30)

  @Test func processesThatMigrateMayBeKilled() throws {
    var kills = 0
    var inside = 0
    var leftovers = 0
    for index in 0..<UInt64(Share.rounds(of: Self.whole, atLeast: 3)) {
      let seed = Share.seed &+ index
      let folder = try WorkFolder()
      var random = SeededGenerator(seed: seed)
      let url = folder.file("walk.store")
      var walk = Walk(seed: seed, url: url)
      try walk.insert(200)
      let first = try #require(folder.bytes("walk.store"))
      for kill in 0..<Self.kills {
        // One that leads somewhere: what is refused has a test of its own.
        var chain = Chain(from: walk.version, walk.state, random: &random)
        while chain.expected(walk.state) == nil || !chain.stages.contains(where: \.isCustom) {
          chain = Chain(from: walk.version, walk.state, random: &random)
        }
        for name in folder.names where name.hasPrefix("walk.store") {
          try FileManager.default.removeItem(at: folder.file(name))
        }
        try first.write(to: url)
        let marks = try #require(Marks(path: folder.path("page")))
        marks.reset(returned: 0)
        let process = try ChildProcess(
          "MigrationVictim", [url.path(percentEncoded: false), chain.text, folder.path("page")],
          output: folder.file("printed"))
        if kill % 4 == 0 {
          usleep(UInt32.random(in: 0..<Self.latestKill, using: &random))
        } else {
          let end = ContinuousClock.now + Self.patience
          while marks.phase == .outside || marks.phase == .beginning, ContinuousClock.now < end { usleep(200) }
          usleep(UInt32.random(in: 0..<Self.latestInside, using: &random))
        }
        process.killNow()
        let wasKilled = process.wait() == .signal(SIGKILL)
        kills += 1
        if wasKilled, marks.phase == .inside { inside += 1 }
        if folder.names.contains(where: { $0.contains("stage") }) { leftovers += 1 }
        let found = try chain.read(chain.open(url))
        try #require(found == chain.expected(walk.state), "seed \(seed), kill \(kill), by \(chain.text)")
        let way = "\(folder.names), seed \(seed), kill \(kill), by \(chain.text)"
        #expect(!folder.names.contains { $0.contains("stage") }, "\(way)")
      }
    }
    print(
      "plans from seed \(Share.seed): \(kills) kills, \(inside) inside the migration, \(leftovers) with a copy left over"
    )
    #expect(inside > kills / 10)
  }
}
