import Foundation

extension HTTPLogger {
  /// An exchange has ended, well or not.
  func finished(_ request: HTTPRequest, status: Int?, metrics: HTTPMetrics, error: HTTPError?) {
    guard let error else {
      return log(
        .debug,
        """
        \(request.name, privacy: .public) of \(request.url.absoluteString, privacy: .hashed) at \
        \(request.url.host() ?? "", privacy: .public): \(status ?? 0, privacy: .public) in \
        \(metrics.total, privacy: .public), \(metrics.bytesReceived, privacy: .public) bytes, \
        \(metrics.attempts, privacy: .public) attempts, fields \(request.headers.names, privacy: .public)
        """)
    }
    log(
      error.isFault ? .error : .warning,
      """
      \(request.name, privacy: .public) of \(request.url.absoluteString, privacy: .hashed) at \
      \(request.url.host() ?? "", privacy: .public) failed: \(error.summary, privacy: .public), \
      \(error.delivery.rawValue, privacy: .public), \(error.attempts, privacy: .public) attempts
      """)
  }

  /// The credentials were refused, and others are shown.
  func replaying(_ request: HTTPRequest) {
    log(
      .info,
      """
      \(request.name, privacy: .public) of \(request.url.absoluteString, privacy: .hashed): the credentials were refused, \
      tried once more
      """)
  }

  /// Another attempt follows.
  func retrying(_ request: HTTPRequest, after error: HTTPError, attempt: Int, wait: Duration) {
    log(
      .info,
      """
      \(request.name, privacy: .public) of \(request.url.absoluteString, privacy: .hashed): attempt \
      \(attempt, privacy: .public) failed (\(error.summary, privacy: .public)), the next one in \
      \(wait, privacy: .public)
      """)
  }
}

extension HTTPHeaders {
  /// The names of the fields.
  fileprivate var names: String { fields.map(\.name).joined(separator: " ") }
}

extension HTTPError {
  /// What has failed, and of credentials that could not be got why.
  fileprivate var summary: String {
    let root = rootCause.kind
    return root == kind ? kind.summary : kind.summary + ": " + root.summary
  }

  /// Whether somebody has to change something.
  fileprivate var isFault: Bool {
    switch rootCause.kind {
    case .invalidRequest, .pinMismatch, .noContent, .undecodable, .tooLarge, .redirect, .file: true
    default: false
    }
  }
}
