#if os(Linux)
  internal import CCurl
#endif

/// The way in which a connection failed.
public enum ConnectionFailure: Sendable, Hashable {
  /// The server's name has no address.
  case nameNotResolved
  /// The proxy cannot be reached, or it refused: ``HTTPError/proxy`` has its address and its status.
  case proxy
  /// No server listens at the address and port.
  case connectionRefused
  /// There is no route to the server, or it broke before the connection was established.
  case unreachable
  /// The server's certificate is not trusted: unknown authority, another name, expired.
  case untrustedCertificate
  /// The TLS handshake failed.
  case tls
  /// The connection was closed or reset before a response.
  case closed
  /// The server closed an idle connection just as the request was sent on it.
  case closedWhileIdle
  /// The server reports that it has not processed the request: it was about to shut down, or was overloaded (`GOAWAY` and
  /// `REFUSED_STREAM` of HTTP/2). Any request may be sent again.
  case notProcessed
  /// The connection was closed or reset within the response.
  case truncated
  /// The received bytes are no HTTP.
  case malformed
  /// The response's body is not compressed as declared, or the compressed data breaks off.
  case compression
  /// The response's body has an unsupported content coding: this one of those in its `Content-Encoding`.
  case contentCoding(String)
  /// The sequence of the request's body failed, or was shorter or longer than declared.
  case requestBody
  /// The transport was shut down.
  case shutDown
  /// Any other failure, with the code of libcurl or URLSession.
  case other(code: Int)
}

extension ConnectionFailure {
  /// The same failure as it is named once a response has begun.
  var duringResponse: ConnectionFailure {
    switch self {
    case .closed, .closedWhileIdle, .notProcessed: .truncated
    default: self
    }
  }

  /// Returns the meaning of a code of libcurl or URLSession.
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
