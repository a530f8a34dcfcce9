import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension HTTPError {
  /// What a session's failure means: sent, perhaps, unless that cannot be.
  ///
  /// - Parameter mayHaveKept: Whether the session may have sent the request before, on a connection that was not made for it.
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
    // Where a kept connection is closed before an answer, libcurl sends the request once more, on a new one, and tells of
    // the second time only: by then nobody may listen any more, or the name may have no address.
    if mayHaveKept, error.libcurlMessage != nil { self = asMaybeSent }
  }
}

/// What has failed where a session says that a connection was refused.
private enum RefusedConnection {
  /// That connection.
  case itself
  /// Another one, of which libcurl says that it was closed: what took the request has broken off.
  case closed
  /// Something else.
  case other

  /// How libcurl says that a connection was closed.
  static let closedMessages = ["Empty reply", "Recv failure", "Send failure", "Connection reset", "Broken pipe"]
}

extension URLError {
  /// What libcurl says, in an error of a session on Linux. One without any words is of a stub, and means what it says.
  fileprivate var libcurlMessage: String? {
    #if canImport(FoundationNetworking)
      return errorUserInfo[NSLocalizedDescriptionKey] as? String
    #else
      return nil
    #endif
  }

  fileprivate var refusedConnection: RefusedConnection {
    // On Linux this code says that the last connection that did not come about was refused, whatever has failed since: of
    // `localhost` that may be ::1, while 127.0.0.1 took the request and broke off. What has failed is known from libcurl's
    // words alone.
    guard let words = libcurlMessage, !words.hasPrefix("Failed to connect to") else { return .itself }
    return RefusedConnection.closedMessages.contains { words.contains($0) } ? .closed : .other
  }
}
