import ExampleSupport
import SwiftData

/// `ONCE=1`: three rounds against the replayed week, a look at the store without the origin, and a line of JSON.
struct RoundTrip {
  struct Offline: Codable, Hashable {
    var count: Int
    var largest: Double
  }

  /// What the line says, in its order.
  struct Outcome: Hashable {
    var fetched: Int
    var first: SyncCounts
    var second: SyncCounts
    var third: SyncCounts
    var offline: Offline
    var store: String

    /// One line of JSON.
    var line: String {
      get throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        func json(_ value: some Encodable) throws -> String {
          String(decoding: try encoder.encode(value), as: UTF8.self)
        }
        func counts(_ counts: SyncCounts) -> String {
          #"{"inserted":\#(counts.inserted),"updated":\#(counts.updated),"unchanged":\#(counts.unchanged)}"#
        }
        return """
          {"fetched":\(fetched),"first":\(counts(first)),"second":\(counts(second)),"third":\(counts(third)),\
          "offline":{"count":\(offline.count),"largest":\(try json(offline.largest))},"store":\(try json(store))}
          """
      }
    }
  }

  /// A round that should have gone well and did not.
  struct Failed: Error, CustomStringConvertible {
    let description: String
  }

  let store: URL
  let week: ReplayedWeek
  var client = FeedRoute.urlsession

  func run() async throws -> Outcome {
    Terminal.say("Store: \(store.path)")
    let container = try QuakeStore.open(at: store)
    let origin = ReplayedOrigin(week: week, now: week.beginning)
    try origin.start()
    defer { origin.stop() }
    guard let url = origin.url else { throw Failed(description: "The origin has no address.") }
    Terminal.say("Origin: \(url), the recorded week, replayed")

    let sync = SyncService(client, url: url, container: container, store: store, board: SyncBoard(lastSync: nil))
    let first = try await round(sync, "Two days before the end")
    let second = try await round(sync, "The same again")
    origin.advance(to: week.end)
    let third = try await round(sync, "The end, with revised magnitudes")

    origin.stop()
    Terminal.say("With the origin stopped: \(await sync.sync().words)")
    let content = try StoreReader(container: container).content(for: PageQuery())
    Terminal.say("Offline: the store has \(content.total.formattedForPeople) earthquakes")
    return Outcome(
      fetched: third.fetched, first: first.counts, second: second.counts, third: third.counts,
      offline: Offline(count: content.total, largest: content.largest?.magnitude ?? 0), store: store.path)
  }

  private func round(_ sync: SyncService, _ what: String) async throws -> (counts: SyncCounts, fetched: Int) {
    let report = await sync.sync()
    Terminal.say("\(what): \(report.words)")
    return switch report {
    case .synced(let counts, let fetched, _): (counts, fetched)
    // The same, told by the origin and not by the rows.
    case .notModified(let features, let rejected): (SyncCounts(unchanged: features), features + rejected.count)
    case .failed, .notStored: throw Failed(description: report.trouble ?? "The round failed.")
    }
  }
}
