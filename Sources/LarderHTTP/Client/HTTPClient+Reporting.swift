extension HTTPClient.Configuration {
  /// Reports a failure that came before there was a request to send: to the logger and the metrics, with 0 attempts.
  ///
  /// - Returns: The failure, with the request's name and its number of attempts.
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
