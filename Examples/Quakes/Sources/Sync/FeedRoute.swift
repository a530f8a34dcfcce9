import Foundation
import SwiftData

/// The two ways from the origin to the store.
enum FeedRoute: String, CaseIterable, Sendable {
  /// URLSession and the importer's loop, as printed.
  case urlsession
  /// Larder's client, which asks only for what has changed, and one upsert.
  case larder

  /// The service that fetches the feed.
  func feed(at url: URL, patience seconds: Int = QuakeNetworkService.patience) -> sending any QuakeFeed {
    switch self {
    case .urlsession: QuakeNetworkService(url: url, session: QuakeNetworkService.session(patience: seconds))
    case .larder: QuakeFeedClient(url: url, patience: seconds)
    }
  }

  /// How its features become rows.
  var way: QuakeImporter.Way {
    switch self {
    case .urlsession: .loop
    case .larder: .upsert
    }
  }
}
