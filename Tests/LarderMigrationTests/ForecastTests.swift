import DurabilityWork
import Foundation
import LarderData
import LarderMigration
import LarderSQLite
import SwiftData
import Testing
import Versions

/// What a forecast says comes true, or the store is refused as it says. `LARDER_SEED` repeats a run.
@Suite struct ForecastTests {
  /// The whole, of which `LARDER_SIZE` says the percentage.
  private static let whole = 400
  private static let least = 15
  /// Versions of one walk.
  private static let length = 6

  private func stored(_ url: URL) throws -> SQLiteStore {
    var options = SQLiteStore.Options(url: url)
    options.isReadOnly = true
    return try SQLiteStore.open(options, layouts: [])
  }

  @Test func forecastsComeTrue() throws {
    var counts: [MigrationForecast.Verdict: Int] = [:]
    var collisions = 0
    for index in 0..<UInt64(Share.rounds(of: Self.whole, atLeast: Self.least)) {
      let seed = Share.seed &+ index
      let folder = try WorkFolder()
      var walk = Walk(seed: seed, url: folder.file("walk.store"))
      try walk.insert(12)
      for step in 1..<Self.length {
        let version = walk.choose()
        let like = folder.file("like \(step).store")
        do { _ = try Walk.open(version, like) }
        let other = try stored(like)
        let tables = try other.database.read { try StoreMetadata.tables(on: $0) }
        let before = folder.bytes("walk.store")
        let forecast = try stored(walk.url).forecast(to: tables)
        #expect(folder.bytes("walk.store") == before)
        let refusals = walk.refusals
        let way = "seed \(seed), from version \(walk.version + 1) to \(version + 1): \(forecast)"
        let problem = try walk.go(to: version)
        try #require(problem == nil, "seed \(seed): \(problem ?? "")")
        let isRefused = walk.refusals > refusals
        counts[forecast.verdict, default: 0] += 1
        collisions += forecast.tables.reduce(0) { $0 + $1.collisions.count }
        switch forecast.verdict {
        case .nothing, .possible: try #require(!isRefused, "\(way)")
        case .impossible: try #require(isRefused, "\(way)")
        case .depends: break
        }
        if !isRefused {
          let after = try stored(walk.url).forecast(to: tables)
          try #require(after.verdict == .nothing && after.rows == 0, "\(way), then \(after)")
          try walk.insert(6)
        }
      }
    }
    print("forecasts from seed \(Share.seed): \(counts), \(collisions) collisions")
    #expect(counts[.possible, default: 0] > 0 && counts[.impossible, default: 0] > 0)
  }
}
