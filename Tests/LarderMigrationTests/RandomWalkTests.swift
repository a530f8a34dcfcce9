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

  /// Kills of a walk.
  private static let kills = 20
  /// The latest instant of a kill: a process has begun and migrated by then.
  private static let latestKill: UInt32 = 150_000

  @Test func processesThatMigrateMayBeKilled() throws {
    var kills = 0
    var inTime = 0
    for index in 0..<UInt64(Share.rounds(of: Self.whole, atLeast: 3)) {
      let seed = Share.seed &+ index
      let folder = try WorkFolder()
      var random = SplitMix(seed: seed)
      var walk = Walk(seed: seed, url: folder.file("walk.store"))
      try walk.insert(200)
      for kill in 0..<Self.kills {
        let version = walk.choose()
        let process = try ChildProcess(
          "MigrationVictim", [walk.url.path(percentEncoded: false), "\(version)"], output: folder.file("printed"))
        usleep(UInt32.random(in: 0..<Self.latestKill, using: &random))
        process.killNow()
        if process.wait() == .signal(SIGKILL) { inTime += 1 }
        kills += 1
        let problem = try walk.go(to: version)
        try #require(problem == nil, "seed \(seed), kill \(kill): \(problem ?? "")")
      }
      #expect(!folder.names.contains { $0.contains("stage") })
    }
    print("walks from seed \(Share.seed): \(kills) kills, \(inTime) before the end")
    #expect(inTime > kills / 10)
  }
}
