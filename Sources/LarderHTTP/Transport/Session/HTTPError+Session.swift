import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension HTTPError {
  /// What a session's failure means: sent, perhaps, unless that cannot be.
  ///
  /// - Parameter mayHaveKept: Whether the session may have a connection open that it was answered on.
  init(session error: any Error, mayHaveKept: Bool = false) {
    guard let error = error as? URLError else {
      self.init(.maybeSent(.other(code: (error as NSError).code)), delivery: .maybeSent, underlying: error)
      return
    }
    switch error.code {
    case .cannotFindHost, .dnsLookupFailed: self.init(.notSent(.nameNotResolved), delivery: .notSent)
    case .cannotConnectToHost:
      switch error.refusal(mayHaveKept: mayHaveKept) {
      case .first: self.init(.notSent(.refused), delivery: .notSent)
      case .perhapsSecond: self.init(.maybeSent(.refused), delivery: .maybeSent)
      case .former: self.init(.maybeSent(.closed), delivery: .maybeSent)
      }
    case .notConnectedToInternet, .dataNotAllowed: self.init(.notSent(.unreachable), delivery: .notSent)
    case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot,
      .serverCertificateNotYetValid:
      self.init(.notSent(.untrustedCertificate), delivery: .notSent)
    case .secureConnectionFailed: self.init(.notSent(.tls), delivery: .notSent)
    case .timedOut: self.init(.deadline(.idle), delivery: .maybeSent)
    case .cancelled: self.init(.cancelled, delivery: .maybeSent)
    case .networkConnectionLost: self.init(.maybeSent(.closed), delivery: .maybeSent)
    case .badServerResponse, .cannotParseResponse, .cannotDecodeContentData, .cannotDecodeRawData:
      self.init(.maybeSent(.malformed), delivery: .maybeSent)
    default: self.init(.maybeSent(.other(code: error.code.rawValue)), delivery: .maybeSent)
    }
    underlying = error
  }
}

/// What became of a request that a session says was refused a connection.
private enum Refusal {
  /// No connection stood before.
  case first
  /// It may have been sent before, on a connection that was kept and then turned out to be closed.
  case perhapsSecond
  /// One of the server's addresses refused; what failed is the connection to another one, on which it may have been sent.
  case former
}

extension URLError {
  fileprivate func refusal(mayHaveKept: Bool) -> Refusal {
    #if canImport(FoundationNetworking)
      // On Linux this code says that the last connection that did not come about was refused, whatever has failed since: of
      // `localhost` that may be ::1, while 127.0.0.1 took the request and broke off. What has failed is known from libcurl's
      // words alone. An error without any is of a stub, which means what it says.
      guard let words = errorUserInfo[NSLocalizedDescriptionKey] as? String else { return .first }
      guard words.hasPrefix("Failed to connect to") else { return .former }
      // Where a kept connection is closed before an answer, libcurl sends the request once more, and tells of the second
      // time only.
      return mayHaveKept ? .perhapsSecond : .first
    #else
      return .first
    #endif
  }
}
