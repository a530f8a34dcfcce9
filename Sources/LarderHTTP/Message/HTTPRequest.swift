public import Foundation

/// A request as it is given to a transport: with the whole address, and a body of bytes.
///
/// Clients make these from endpoints; interceptors see and change them.
public struct HTTPRequest: Sendable {
  public var method: HTTPMethod
  /// The whole address, percent-encoded; it is sent as it stands.
  public var url: URL
  public var headers: HTTPHeaders
  public var body: RequestBody?
  /// Which credentials are added to it; by default the client's, where it is for the client's origin.
  public var authentication = EndpointAuthentication.client
  /// Whether the request may be sent again though it may have arrived. By default what its method says.
  public var isIdempotent: Bool
  /// The key by which the server knows a request that it has seen. A request with one may be sent again, with the same
  /// bytes.
  public var idempotencyKey: String?
  /// How long its phases may take.
  public var deadlines = Deadlines()
  /// Whether the response's body is read to its end at once, whatever its size within the limits, as a client does that
  /// asks for a value. Of others, and of a response that is no success, no more is read from the network than their reader
  /// takes. See ``CurlTransport/Options/allowsHTTP2``.
  public var readsWholeBody = false
  /// How much may come back.
  public var limits = Limits()
  /// Method and path without any value that was put into it, for errors, metrics and logs.
  public var name: String
  /// Is told how much of the body was handed to the connection. Called on the transport's thread: be brief.
  public var uploadProgress: (@Sendable (TransferProgress) -> Void)?
  /// Is told how much of the response has come. Called on the transport's thread: be brief.
  public var downloadProgress: (@Sendable (TransferProgress) -> Void)?
  /// Which call it is of: the same for the one that an interceptor is given and for its copies, however they are changed.
  ///
  /// One that an interceptor makes by ``init(_:_:headers:body:name:)`` has none, and is another request. Sent elsewhere, it
  /// is not kept from doing the deed of the call twice.
  var callState: CallState?

  /// Makes a request for a whole address.
  ///
  /// - Parameters:
  ///   - method: By default GET.
  ///   - url: The whole address.
  ///   - headers: Fields of the header, in the place of the client's of the same names.
  ///   - body: What is sent along.
  ///   - name: What stands for it in errors and logs; by default the method and host, since a path may hold private values.
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
