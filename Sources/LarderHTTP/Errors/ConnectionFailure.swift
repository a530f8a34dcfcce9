/// How a connection failed.
public enum ConnectionFailure: Sendable, Hashable {
  /// The server's name has no address.
  case nameNotResolved
  /// The proxy's name has no address, or the proxy refused.
  case proxy
  /// Nobody listens there.
  case refused
  /// There is no way there, or it broke before the connection stood.
  case unreachable
  /// The server's certificate is not trusted: unknown authority, another name, expired.
  case untrustedCertificate
  /// TLS could not be agreed upon.
  case tls
  /// The connection was closed or reset before an answer.
  case closed
  /// A connection that had been kept open was closed by the server just when the request was sent on it.
  case closedWhileIdle
  /// The server has not handled the request, and says so: it was about to end, or had no room (`GOAWAY` and
  /// `REFUSED_STREAM` of HTTP/2). Any request may be sent again.
  case notHandled
  /// The connection was closed or reset within the answer.
  case truncated
  /// What came is no HTTP.
  case malformed
  /// The answer's body is not compressed as it says, in a way that is not known here, or its compression breaks off.
  case compression
  /// The body to be sent failed to be made, or was shorter or longer than it was said to be.
  case requestBody
  /// The transport was shut down.
  case shutDown
  /// Anything else, by the number that libcurl or URLSession gives it.
  case other(code: Int)
}

extension ConnectionFailure {
  /// What it is called once there is an answer.
  var withinAnswer: ConnectionFailure {
    switch self {
    case .closed, .closedWhileIdle, .notHandled: .truncated
    default: self
    }
  }
}
