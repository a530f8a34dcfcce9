/// What an exchange took. Times are from its beginning, each until the end of its phase; what was not reached, or is not
/// known, is zero.
///
/// Of several attempts and redirects it is the last exchange that is measured; the others are counted in ``attempts`` and
/// ``redirects``.
///
/// ```swift
/// let response = try await client.response(to: .get("/v1/payments"))
/// print(response.metrics.firstByte, response.metrics.isReused)
/// ```
public struct HTTPMetrics: Sendable, Equatable {
  /// Until the name was resolved, or a connection was found that stood already.
  public var nameLookup: Duration = .zero
  /// Until TCP had connected; zero where a connection was used again.
  public var connect: Duration = .zero
  /// Until TLS was ready; zero without TLS, and where a connection was used again.
  public var tls: Duration = .zero
  /// Until the first byte of the response.
  public var firstByte: Duration = .zero
  /// Until the end.
  public var total: Duration = .zero
  /// Bytes of the request: its header as libcurl counts it, and its body.
  public var bytesSent: Int64 = 0
  /// Bytes of the response: its header, and its body as it came.
  public var bytesReceived: Int64 = 0
  /// Bytes of the body after decompression.
  public var bodyBytes: Int64 = 0
  /// Whether a connection was used that stood already.
  public var isReusedConnection = false
  /// The version of HTTP: `1.0`, `1.1`, `2`, `3`; empty where nothing came.
  public var version = ""
  /// How many attempts there were, this one included.
  public var attempts = 1
  /// How many redirects were followed.
  public var redirects = 0

  public init() {}
}
