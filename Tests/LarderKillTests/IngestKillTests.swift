import DurabilityWork
import Foundation
import IngestWork
import SwiftData
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A process that ingests a feed is killed at random instants. What it leaves is the feed's beginning in its version and
/// the rest in the version before, as whole transactions of the history, and whoever comes next goes on from there.
@Suite struct IngestKillTests {
  /// The whole, of which `LARDER_SIZE` says the percentage.
  private static let whole = 500
  private static let least = 5
  /// How many elements a feed has: several batches.
  private static let count = 50_000
  /// The latest instant of a kill, in microseconds from the first version's beginning.
  private static let latestKill: UInt32 = 1_000_000
  /// Of the whole so many find a version half there.
  private static let halfShare = 0.3
  private static let enoughToTell = 100

  /// How far a store is: in its version, so many elements.
  private struct Standing: Equatable {
    var version = 1
    var elements = 0
  }

  @Test func killsLeaveWholeBatches() async throws {
    let rounds = Share.rounds(of: Self.whole, atLeast: Self.least)
    let end = Share.end()
    var random = SeededGenerator(seed: Share.seed)
    var folder = try WorkFolder()
    var before = Standing()
    var (kills, halves) = (0, 0)
    while kills < rounds || ContinuousClock.now < end {
      // A new store now and then, since the first version is inserts.
      if kills % 10 == 0 { (folder, before) = (try WorkFolder(), Standing()) }
      try kill(folder, from: before.elements == Self.count ? before.version + 1 : before.version, &random)
      kills += 1
      let container = try Feed.open(folder.path("test.store"))
      let standing = try standing(of: container, since: before)
      if standing.elements > 0, standing.elements < Self.count { halves += 1 }
      before = standing
      // Somebody goes on, as the counts say.
      if kills % 5 == 0 { before = try await goOn(in: container, from: standing) }
    }
    print("seed \(Share.seed): \(kills) kills, \(halves) in the midst of a feed")
    if kills >= Self.enoughToTell { #expect(Double(halves) >= Self.halfShare * Double(kills)) }
  }

  private func kill(_ folder: WorkFolder, from version: Int, _ random: inout SeededGenerator) throws {
    let marks = try #require(Marks(path: folder.path("page")))
    marks.reset(returned: version - 1)
    let process = try ChildProcess(
      "IngestVictim", [folder.path("test.store"), folder.path("page"), "\(version)", "\(Self.count)"],
      output: folder.file("printed"))
    let limit = ContinuousClock.now + .seconds(60)
    while !marks.isReady, !process.hasEnded, ContinuousClock.now < limit { usleep(500) }
    usleep(UInt32.random(in: 0..<Self.latestKill, using: &random))
    process.killNow()
    let end = process.wait()
    #expect(end == .signal(SIGKILL), "seed \(Share.seed): \(process.printed)")
  }

  /// What a store has, which must be one feed's beginning and the rest of the feed before; and that its history tells of
  /// just these rows.
  private func standing(of container: ModelContainer, since before: Standing) throws -> Standing {
    #expect(try container.integrityCheck().isEmpty)
    let context = ModelContext(container)
    let items = try context.fetch(FetchDescriptor<FeedItem>(sortBy: [SortDescriptor(\.number)]))
    let version = max(items.map(\.version).max() ?? 1, before.version)
    let feed = Feed(version: version, count: Self.count)
    // The elements that have changed, and are as they were before.
    let reached = version == 1 ? items.count : items.lastIndex { $0.version == version }.map { $0 + 1 } ?? 0
    let isWhole = items.enumerated().allSatisfy { number, item in
      let former = Feed(version: version - 1, count: Self.count)
      return item.number == number && item.version == (number < reached ? feed : former).version(of: number)
    }
    #expect(isWhole, "seed \(Share.seed): version \(version), \(reached) elements")
    #expect(version == 1 || items.count == Self.count, "seed \(Share.seed): \(items.count) rows")

    var written = 0
    for number in before.version...version {
      let feed = Feed(version: number, count: Self.count)
      written += feed.writes(of: number < version ? Self.count : reached)
      if number == before.version { written -= feed.writes(of: before.elements) }
    }
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(
      history.reduce(0) { $0 + $1.changes.count } == written, "seed \(Share.seed): \(before), \(version), \(reached)")
    try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    // An element that never changes behind the last that did is as it is in both.
    let isDone = reached >= (0..<Self.count).last { $0 % 3 != 0 || version == 1 }.map { $0 + 1 } ?? 0
    return Standing(version: version, elements: isDone ? Self.count : reached)
  }

  private func goOn(in container: ModelContainer, from standing: Standing) async throws -> Standing {
    let feed = Feed(version: standing.version, count: Self.count)
    let report = try await feed.ingest(into: container)
    let rest = feed.writes(of: Self.count) - feed.writes(of: standing.elements)
    #expect(report.inserted + report.updated == rest && report.unchanged == Self.count - rest)
    try ModelContext(container).deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    return Standing(version: standing.version, elements: Self.count)
  }
}
