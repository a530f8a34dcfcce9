/// The reason why a request cannot be sent.
public enum InvalidRequest: Sendable, Hashable {
  /// The URL is not `http` or `https`, or has no host or an invalid port; or it is a base address with a query, a fragment or
  /// credentials.
  case url
  /// A value in the path is empty, which would make it another path.
  case emptyPathComponent
  /// A segment of the path is `.` or `..`, which servers and proxies resolve to another path.
  case dotSegment
  /// A literal part of the path contains `?` or `#`, or a `%` that encodes nothing.
  case path
  /// A header field's name or value cannot be sent, or the field is reserved for the transport.
  case header(name: String)
  /// The method is no token.
  case method
  /// The body could not be encoded or read, or the method has none (HEAD).
  case body
  /// The name or the password cannot be sent by basic authentication.
  case credentials
  /// The idempotency key cannot be sent as a header field.
  case idempotencyKey
  /// The connection cannot be secured as configured: this libcurl does not support an option, or rejects the authorities, the
  /// pins or the proxy as too long.
  case transportSecurity
  /// There is no certificate among the trusted authorities: neither in those of the transport's options
  /// (`CurlTransport.Options.trustRoots`), nor, without such an option, in the system's store.
  case trustRoots
  /// The URL is `http`, and its host is pinned: without TLS there is no key to check (``KeyPins``).
  case insecurePinnedHost
  /// The URL is `http`, and the request has credentials, which every party on the way could read
  /// (``HTTPClient/Configuration/allowsCredentialsOverHTTP``).
  case insecureCredentials
  /// The request would wait for the credentials that it is part of getting: a ``BearerTokenSource`` has made it through a client
  /// whose authentication uses that source.
  case recursiveAuthentication
}

extension InvalidRequest {
  /// Whether the fault is in the settings of the client or its transport, and not in the request: with other settings the same
  /// request can be sent.
  ///
  /// ```swift
  /// if case .invalidRequest(let reason) = error.kind, !reason.isConfigurationProblem { drafts.refuse(draft, error.advice) }
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
