/// The metrics of an exchange. Each time is from the beginning to the end of a phase; a phase that was not reached, or was not
/// measured, is zero.
///
/// With several attempts and redirects, the last exchange is measured; ``attempts`` and ``redirects`` count the others.
///
/// ```swift
/// let response = try await client.response(to: .get("/v1/payments"))
/// print(response.metrics.firstByte, response.metrics.isReusedConnection)
/// ```
public struct HTTPMetrics: Sendable, Equatable {
  /// The time until the name was resolved, or an open connection was found.
  public var nameLookup: Duration = .zero
  /// The time until TCP was connected; zero for a reused connection.
  public var connect: Duration = .zero
  /// The time until TLS was ready; zero without TLS, and for a reused connection.
  public var tls: Duration = .zero
  /// The time until the first byte of the response.
  public var firstByte: Duration = .zero
  /// The time until the end.
  public var total: Duration = .zero
  /// The bytes of the request: its header as libcurl counts it, and its body.
  public var bytesSent: Int64 = 0
  /// The bytes of the response: its header, and its body as received.
  public var bytesReceived: Int64 = 0
  /// The bytes of the body after decompression.
  public var bodyBytes: Int64 = 0
  /// Whether an open connection was reused.
  public var isReusedConnection = false
  /// The version of HTTP: `1.0`, `1.1`, `2`, `3`; empty without a response.
  public var version = ""
  /// The number of attempts, including this one.
  public var attempts = 1
  /// The number of redirects that were followed.
  public var redirects = 0

  /// Creates metrics of zero.
  public init() {}
}
