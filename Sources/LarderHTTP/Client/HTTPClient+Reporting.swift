extension HTTPClient.Configuration {
  /// Tells of a failure before there was anything to send: like any other, and by no attempt.
  ///
  /// - Returns: The failure, with what is known of it.
  func reportUnsentRequest(_ name: String, _ error: HTTPError) -> HTTPError {
    var failure = error
    failure.request = name
    failure.attempts = 0
    logger?.logUnsentRequest(failure)
    var metrics = HTTPMetrics()
    metrics.attempts = 0
    self.metrics?(RequestReport(name: name, status: nil, metrics: metrics, error: failure))
    return failure
  }
}
