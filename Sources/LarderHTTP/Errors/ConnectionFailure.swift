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
  /// The connection was closed or reset within the answer.
  case truncated
  /// What came is no HTTP, or its compression is damaged.
  case malformed
  /// The body to be sent failed to be made, or was shorter or longer than it was said to be.
  case requestBody
  /// The transport was shut down.
  case shutDown
  /// Anything else, by the number that libcurl or URLSession gives it.
  case other(code: Int)
}

/// Why a request cannot be sent.
public enum InvalidRequest: Sendable, Hashable {
  /// The base address is not `http` or `https`, has no host, or has a query, a fragment or credentials.
  case baseURL
  /// A value that was put into the path is empty: the path would be another one.
  case emptyPathComponent
  /// A segment of the path is `.` or `..`, which servers and proxies take for another path.
  case dotSegment
  /// A literal part of a path has `?` or `#` in it, or a `%` that encodes nothing.
  case path
  /// The name or the value of a header cannot be sent.
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
  case security
  /// There is no certificate in the authorities that are to be believed: not in those that the transport was given
  /// (`CurlTransport.Options.authorities`), or not where the system keeps its own.
  case authorities
  /// The address is `http`, and its host is pinned: without TLS no key is shown (``KeyPins``).
  case insecurePinnedHost
  /// What was given to ``KeyPins/pin(_:to:mode:)`` is no host, and would match none: with it the transport sends nothing.
  case pinnedHost(String)
  /// The address is `http`, and the request has credentials, which everybody on the way could read
  /// (``HTTPClient/Configuration/allowsCredentialsOverHTTP``).
  case insecureCredentials
  /// The request is part of getting the credentials that it would wait for: a ``BearerTokenSource`` has made it through a
  /// client whose authentication asks that source.
  case credentialsOfItself
}

/// Why a redirect was not followed.
public enum RedirectFailure: Sendable, Hashable {
  /// More than the limit.
  case tooMany(limit: Int)
  /// There is no place to go to, or it is no address.
  case noLocation
  /// From HTTPS to HTTP.
  case insecure
  /// From a host that is pinned to one that is not (``KeyPins/allowsUnpinnedRedirects``).
  case unpinned(host: String)
  /// The body would have to be sent again, and cannot be.
  case bodyNotReplayable
}
