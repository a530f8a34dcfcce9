/// Why a request cannot be sent.
public enum InvalidRequest: Sendable, Hashable {
  /// The address is not `http` or `https`, has no host, or a port that is none; or it is a base, and has a query, a fragment
  /// or credentials.
  case url
  /// A value that was put into the path is empty: the path would be another one.
  case emptyPathComponent
  /// A segment of the path is `.` or `..`, which servers and proxies take for another path.
  case dotSegment
  /// A literal part of a path has `?` or `#` in it, or a `%` that encodes nothing.
  case path
  /// The name or the value of a header cannot be sent; or it is one that is the transport's own.
  case header(name: String)
  /// The method is no token.
  case method
  /// The body could not be encoded or read, or the method is one that has none (HEAD).
  case body
  /// A name or a password that basic authentication cannot send.
  case credentials
  /// A key that cannot be sent as a header.
  case idempotencyKey
  /// What secures the connection cannot be had: this libcurl does not know it, or takes the authorities, the pins or the
  /// proxy for too long.
  case transportSecurity
  /// There is no certificate in the authorities that are to be believed: not in those that the transport was given
  /// (`CurlTransport.Options.trustRoots`), or not where the system keeps its own.
  case trustRoots
  /// The address is `http`, and its host is pinned: without TLS no key is shown (``KeyPins``).
  case insecurePinnedHost
  /// The address is `http`, and the request has credentials, which everybody on the way could read
  /// (``HTTPClient/Configuration/allowsCredentialsOverHTTP``).
  case insecureCredentials
  /// The request is part of getting the credentials that it would wait for: a ``BearerTokenSource`` has made it through a
  /// client whose authentication asks that source.
  case recursiveAuthentication
}

extension InvalidRequest {
  /// Whether it is how the client or its transport is set up that is wrong, and not what was to be sent: another setting
  /// sends the same.
  ///
  /// ```swift
  /// if case .invalidRequest(let reason) = error.kind, !reason.isOfSetup { drafts.refuse(draft, error.advice) }
  /// ```
  public var isConfigurationProblem: Bool {
    switch self {
    case .url, .credentials, .transportSecurity, .trustRoots, .insecureCredentials, .insecurePinnedHost,
      .recursiveAuthentication:
      true
    case .emptyPathComponent, .dotSegment, .path, .header, .method, .body, .idempotencyKey: false
    }
  }
}
