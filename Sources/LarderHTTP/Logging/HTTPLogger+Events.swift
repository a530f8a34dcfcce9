import Foundation

extension HTTPLogger {
  /// Logs the end of an exchange, successful or not.
  func logFinished(_ request: HTTPRequest, status: Int?, metrics: HTTPMetrics, error: HTTPError?) {
    guard let error else {
      return log(
        .debug,
        """
        \(request.name, privacy: .public) of \(request.url.absoluteString, privacy: .hashed) at \
        \(request.url.host() ?? "", privacy: .public): \(status ?? 0, privacy: .public) in \
        \(metrics.total.inMilliseconds, privacy: .public), \(metrics.bytesReceived, privacy: .public) bytes, attempts: \
        \(metrics.attempts, privacy: .public), fields: \(request.headers.names, privacy: .public)
        """)
    }
    log(
      error.needsAction ? .error : .warning,
      """
      \(request.name, privacy: .public) of \(request.url.absoluteString, privacy: .hashed) at \
      \(request.url.host() ?? "", privacy: .public) failed: \(error.summary, privacy: .public), \
      \(error.delivery.rawValue, privacy: .public), attempts: \(error.attempts, privacy: .public)
      """)
  }

  /// Logs a failure that came before there was a request to send.
  func logUnsentRequest(_ error: HTTPError) {
    log(
      error.needsAction ? .error : .warning,
      "\(error.request ?? "", privacy: .public) failed before it was begun: \(error.summary, privacy: .public)")
  }

  /// Logs that the credentials were refused, and that the request is replayed with new ones.
  func logReplay(of request: HTTPRequest) {
    log(
      .info,
      """
      \(request.name, privacy: .public) of \(request.url.absoluteString, privacy: .hashed): the credentials were refused, \
      tried once more
      """)
  }

  /// Logs that another attempt follows.
  func logRetry(of request: HTTPRequest, after error: HTTPError, attempt: Int, delay wait: Duration) {
    log(
      .info,
      """
      \(request.name, privacy: .public) of \(request.url.absoluteString, privacy: .hashed): attempt \
      \(attempt, privacy: .public) failed (\(error.summary, privacy: .public)), the next one in \
      \(wait.inMilliseconds, privacy: .public)
      """)
  }
}

extension HTTPLogger {
  /// Logs that no other attempt follows, although one would be harmless.
  func logGivingUp(_ request: HTTPRequest, because reason: StaticString) {
    log(
      .info,
      """
      \(request.name, privacy: .public) of \(request.url.absoluteString, privacy: .hashed): not tried again, since \
      \(reason, privacy: .public)
      """)
  }
}

extension Duration {
  /// The duration in readable form, to the microsecond.
  fileprivate var inMilliseconds: String {
    let (seconds, attoseconds) = components
    let milliseconds = Double(seconds) * 1e3 + Double(attoseconds) / 1e15
    return "\((milliseconds * 1e3).rounded() / 1e3) ms"
  }
}

extension HTTPHeaders {
  /// The names of the fields.
  fileprivate var names: String { fields.map(\.name).joined(separator: " ") }
}

extension HTTPError {
  /// The failure, and for unavailable credentials also its cause.
  fileprivate var summary: String {
    let root = rootCause.kind
    return root == kind ? kind.summary : kind.summary + ": " + root.summary
  }

  /// Whether the failure needs a change by a developer or an administrator.
  fileprivate var needsAction: Bool {
    switch rootCause.kind {
    case .invalidRequest, .pinMismatch, .noContent, .undecodable, .tooLarge, .redirect, .file: true
    // A page comes from the network; any other body that is no JSON comes from the server.
    case .notJSON(let type): !MediaType(type).isHTML
    default: false
    }
  }
}
