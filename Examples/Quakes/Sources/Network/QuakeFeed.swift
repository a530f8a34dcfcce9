import LarderHTTP

/// A service that fetches the feed: the one on URLSession, or the one on Larder's client.
protocol QuakeFeed {
  /// The feed as it is now, or the word that it is what the caller has.
  ///
  /// - Parameter validators: What the feed came with that the caller has; nil asks for all of it.
  /// - Throws: ``NetworkError``, whatever fails.
  func refresh(since validators: Validators?) async throws(NetworkError) -> Refreshed<FeedReading>
}

extension QuakeNetworkService: QuakeFeed {
  /// Fetches all of it each time, as the service is printed.
  func refresh(since validators: Validators?) async throws(NetworkError) -> Refreshed<FeedReading> {
    .changed(try await fetchFeed(), nil)
  }
}
