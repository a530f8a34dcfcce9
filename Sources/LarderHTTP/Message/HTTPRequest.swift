public import Foundation

/// A request as a transport receives it: with the whole URL, and a body of bytes.
///
/// Clients make requests from endpoints; interceptors see and change them.
public struct HTTPRequest: Sendable {
  /// The method.
  public var method: HTTPMethod
  /// The whole URL, percent-encoded; it is sent unchanged.
  public var url: URL
  /// The header fields.
  public var headers: HTTPHeaders
  /// The body, if there is one.
  public var body: RequestBody?
  /// The authentication of the request; by default the client's, for requests to the client's origin.
  public var authentication = EndpointAuthentication.client
  /// Whether the request may be sent again although it may have arrived. By default the method decides.
  public var isIdempotent: Bool
  /// The idempotency key, by which the server recognizes a repeated request. A request with a key may be sent again, with the
  /// same bytes.
  public var idempotencyKey: String?
  /// The time limits of the request's phases.
  public var deadlines = Deadlines()
  /// Whether the response's body is read to its end at once, within the size limits, as for a client's call that returns a value.
  /// Of another body, and of a response that is no success, no more is read from the network than the reader takes. See
  /// ``CurlTransport/Options/allowsHTTP2``.
  public var readsWholeBody = false
  /// The size limits of the response.
  public var limits = Limits()
  /// The method and the path without values, for errors, metrics and logs.
  public var name: String
  /// Receives the number of bytes of the body passed to the connection. Called on the transport's thread: return quickly.
  public var uploadProgress: (@Sendable (TransferProgress) -> Void)?
  /// Receives the number of bytes of the response so far. Called on the transport's thread: return quickly.
  public var downloadProgress: (@Sendable (TransferProgress) -> Void)?
  /// The state of the call that the request belongs to: the same for an interceptor's request and its copies, with any changes.
  ///
  /// A request that an interceptor creates by ``init(_:_:headers:body:name:)`` has none, and is another request. Sent to another
  /// address, it is not prevented from repeating a processed request of the call.
  var callState: CallState?

  /// Creates a request for a whole URL.
  ///
  /// ```swift
  /// let request = HTTPRequest(.get, page, headers: ["Accept": "text/csv"])
  /// ```
  ///
  /// - Parameters:
  ///   - method: The method; GET by default.
  ///   - url: The whole URL.
  ///   - headers: Header fields, which replace the client's fields of the same names.
  ///   - body: The body, if there is one.
  ///   - name: The request's name in errors and logs; by default the method and the host, since a path may hold private values.
  public init(
    _ method: HTTPMethod = .get, _ url: URL, headers: HTTPHeaders = [:], body: RequestBody? = nil, name: String? = nil
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    isIdempotent = method.isIdempotent
    self.name = name ?? method.rawValue + " " + (url.host() ?? "")
  }
}
