import Foundation
import LarderHTTP

/// The second service: fetches the feed by Larder's client, and only if it is another than the one that the caller has.
struct QuakeFeedClient: QuakeFeed {
  /// What reads the feed. Another number has everything fetched anew: what a new reading takes, the old one left out.
  static let reading = "FeedReading 1"

  private let client: HTTPClient
  private let feed: Endpoint<FeedReading>

  /// - Parameters:
  ///   - url: The feed's address.
  ///   - seconds: How long the origin may be silent.
  init(url: URL, patience seconds: Int = QuakeNetworkService.patience) {
    var configuration = HTTPClient.Configuration()
    let patience = Duration.seconds(max(1, seconds))
    configuration.deadlines = Deadlines(connect: patience, firstByte: patience, idle: patience)
    // The next round asks again, and until then the page says what is wrong.
    configuration.retry = .never
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .millisecondsSince1970
    configuration.decoder = decoder
    client = HTTPClient(baseURL: url.deletingLastPathComponent(), configuration: configuration)
    feed = .feed(url.lastPathComponent)
  }

  func refresh(since validators: Validators?) async throws(NetworkError) -> Refreshed<FeedReading> {
    do throws(HTTPError) {
      return try await client.refresh(feed, since: validators, scope: Self.reading)
    } catch {
      throw NetworkError(error, deadlines: client.configuration.deadlines)
    }
  }
}

extension Endpoint where Response == FeedReading {
  /// One of the feeds that stand side by side: `all_week.geojson`, `4.5_day.geojson` …
  static func feed(_ name: String) -> Self { .get("/\(name)") }
}
