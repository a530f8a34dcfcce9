#if os(Linux)
  internal import CCurl
#endif

/// How a connection failed.
public enum ConnectionFailure: Sendable, Hashable {
  /// The server's name has no address.
  case nameNotResolved
  /// The proxy cannot be reached, or it refused: ``HTTPError/proxy`` says which, and by which status.
  case proxy
  /// Nobody listens there.
  case connectionRefused
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
  case notProcessed
  /// The connection was closed or reset within the answer.
  case truncated
  /// What came is no HTTP.
  case malformed
  /// The answer's body is not compressed as it says, or its compression breaks off.
  case compression
  /// The answer's body has a content coding that is not known here: this one, of those that its `Content-Encoding` names.
  case contentCoding(String)
  /// The body to be sent failed to be made, or was shorter or longer than it was said to be.
  case requestBody
  /// The transport was shut down.
  case shutDown
  /// Anything else, by the number that libcurl or URLSession gives it.
  case other(code: Int)
}

extension ConnectionFailure {
  /// What it is called once there is an answer.
  var duringResponse: ConnectionFailure {
    switch self {
    case .closed, .closedWhileIdle, .notProcessed: .truncated
    default: self
    }
  }

  /// What a number of libcurl's or URLSession's stands for.
  static func description(ofCode code: Int) -> String {
    let words: String? =
      switch code {
      case 2: "libcurl could not be begun"
      case 4: "this libcurl was built without what is needed"
      case 27: "there is no memory left"
      case 43, 48, 93: "libcurl refuses how it is used"
      case 45: "the network interface cannot be used"
      case 89: "no connection is left"
      case 94: "the authentication failed"
      case 99: "waiting for the connections failed"
      case 100: "something is longer than libcurl keeps"
      default: nil
      }
    return (words ?? systemDescription(ofCode: code)) + " (code \(code))"
  }

  private static func systemDescription(ofCode code: Int) -> String {
    #if os(Linux)
      if code > 0, let known = UInt32(exactly: code), let text = curl_easy_strerror(CURLcode(known)) {
        return String(cString: text)
      }
    #endif
    return "an error of the system's"
  }
}
