import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension HTTPError {
  /// Creates the error for a session's failure: "maybe sent", unless the failure excludes it.
  ///
  /// - Parameters:
  ///   - error: The error of the session.
  ///   - mayHaveKept: Whether the session may have sent the request before, on a reused connection.
  init(session error: any Error, mayHaveReusedConnection mayHaveKept: Bool = false) {
    guard let error = error as? URLError else {
      self.init(.maybeSent(.other(code: (error as NSError).code)), delivery: .maybeSent, underlying: error)
      return
    }
    switch error.code {
    case .cannotFindHost, .dnsLookupFailed: self.init(.notSent(.nameNotResolved), delivery: .notSent)
    case .cannotConnectToHost:
      switch error.refusedConnection {
      case .itself: self.init(.notSent(.connectionRefused), delivery: .notSent)
      case .closed: self.init(.maybeSent(.closed), delivery: .maybeSent)
      case .other: self.init(.maybeSent(.other(code: error.code.rawValue)), delivery: .maybeSent)
      }
    case .notConnectedToInternet, .dataNotAllowed: self.init(.notSent(.unreachable), delivery: .notSent)
    case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot,
      .serverCertificateNotYetValid:
      self.init(.notSent(.untrustedCertificate), delivery: .notSent)
    case .secureConnectionFailed: self.init(.notSent(.tls), delivery: .notSent)
    case .timedOut: self.init(.deadline(.idle), delivery: .maybeSent)
    case .cancelled: self.init(.cancelled, delivery: .maybeSent)
    case .networkConnectionLost: self.init(.maybeSent(.closed), delivery: .maybeSent)
    case .badServerResponse, .cannotParseResponse: self.init(.maybeSent(.malformed), delivery: .maybeSent)
    case .cannotDecodeContentData, .cannotDecodeRawData:
      self.init(.maybeSent(.compression), delivery: .maybeSent)
    default: self.init(.maybeSent(.other(code: error.code.rawValue)), delivery: .maybeSent)
    }
    underlying = error
    // If a reused connection is closed before a response, libcurl sends the request again on a new one, and reports only the
    // second failure: until then the server may have stopped listening, or the name may have lost its address.
    if mayHaveKept, error.libcurlMessage != nil { self = asMaybeSent }
  }
}

/// The actual failure when a session reports a refused connection.
private enum RefusedConnection {
  /// The connection was refused, as reported.
  case itself
  /// Another connection was closed, by libcurl's text: the one that carried the request.
  case closed
  /// Another failure.
  case other

  /// The texts of libcurl for a closed connection.
  static let closedMessages = ["Empty reply", "Recv failure", "Send failure", "Connection reset", "Broken pipe"]
}

extension URLError {
  /// The text of libcurl in a session's error on Linux. An error without text comes from a stub, and is taken as it is.
  fileprivate var libcurlMessage: String? {
    #if canImport(FoundationNetworking)
      return errorUserInfo[NSLocalizedDescriptionKey] as? String
    #else
      return nil
    #endif
  }

  fileprivate var refusedConnection: RefusedConnection {
    // On Linux this code means that the last failed connection attempt was refused, whatever has failed since: for `localhost`
    // that may be ::1, while 127.0.0.1 has accepted the request and broken off. Only libcurl's text names the actual failure.
    guard let words = libcurlMessage, !words.hasPrefix("Failed to connect to") else { return .itself }
    return RefusedConnection.closedMessages.contains { words.contains($0) } ? .closed : .other
  }
}
