public import Foundation

/// A request as it is given to a transport: with the whole address, and a body of bytes.
///
/// Clients make these from endpoints; interceptors see and change them.
public struct HTTPRequest: Sendable {
  // One word, however much a request says: it is handed through all the layers of a client.
  private var fields: Fields

  /// Makes a request for a whole address.
  ///
  /// - Parameter name: What stands for it in errors and logs; by default the method and host, since a path may hold
  ///   private values.
  public init(
    _ method: HTTPMethod = .get, _ url: URL, headers: HTTPHeaders = [:], body: RequestBody? = nil, name: String? = nil
  ) {
    fields = Fields(method, url, headers, body, name: name ?? method.rawValue + " " + (url.host() ?? ""))
  }

  /// What a request says. Changed only while one request holds it, which is itself checked for overlapping access.
  // @unchecked: whoever changes it has made sure that nobody else has it.
  private final class Fields: @unchecked Sendable {
    @exclusivity(unchecked) var method: HTTPMethod
    @exclusivity(unchecked) var url: URL
    @exclusivity(unchecked) var headers: HTTPHeaders
    @exclusivity(unchecked) var body: RequestBody?
    @exclusivity(unchecked) var authentication = EndpointAuthentication.client
    @exclusivity(unchecked) var isIdempotent: Bool
    @exclusivity(unchecked) var idempotencyKey: String?
    @exclusivity(unchecked) var deadlines = Deadlines()
    @exclusivity(unchecked) var readsWholeBody = false
    @exclusivity(unchecked) var limits = Limits()
    @exclusivity(unchecked) var name: String
    @exclusivity(unchecked) var uploadProgress: (@Sendable (TransferProgress) -> Void)?
    @exclusivity(unchecked) var downloadProgress: (@Sendable (TransferProgress) -> Void)?
    @exclusivity(unchecked) var mark: AnsweredRedirects?

    init(_ method: HTTPMethod, _ url: URL, _ headers: HTTPHeaders, _ body: RequestBody?, name: String) {
      self.method = method
      self.url = url
      self.headers = headers
      self.body = body
      isIdempotent = method.isIdempotent
      self.name = name
    }

    init(_ other: Fields) {
      method = other.method
      url = other.url
      headers = other.headers
      body = other.body
      authentication = other.authentication
      isIdempotent = other.isIdempotent
      idempotencyKey = other.idempotencyKey
      deadlines = other.deadlines
      readsWholeBody = other.readsWholeBody
      limits = other.limits
      name = other.name
      uploadProgress = other.uploadProgress
      downloadProgress = other.downloadProgress
      mark = other.mark
    }
  }

  /// The fields to change, which nobody else has.
  private var own: Fields {
    mutating get {
      if !isKnownUniquelyReferenced(&fields) { fields = Fields(fields) }
      return fields
    }
  }
}

extension HTTPRequest {
  public var method: HTTPMethod {
    get { fields.method }
    set { own.method = newValue }
  }

  /// The whole address, percent-encoded; it is sent as it stands.
  public var url: URL {
    get { fields.url }
    set { own.url = newValue }
  }

  public var headers: HTTPHeaders {
    get { fields.headers }
    _modify { yield &own.headers }
  }

  public var body: RequestBody? {
    get { fields.body }
    _modify { yield &own.body }
  }

  /// Which credentials are added to it; by default the client's, where it is for the client's origin.
  public var authentication: EndpointAuthentication {
    get { fields.authentication }
    set { own.authentication = newValue }
  }

  /// Whether the request may be sent again though it may have arrived. By default what its method says.
  public var isIdempotent: Bool {
    get { fields.isIdempotent }
    set { own.isIdempotent = newValue }
  }

  /// The key by which the server knows a request that it has seen. A request with one may be sent again, with the same
  /// bytes.
  public var idempotencyKey: String? {
    get { fields.idempotencyKey }
    set { own.idempotencyKey = newValue }
  }

  /// How long its phases may take.
  public var deadlines: Deadlines {
    get { fields.deadlines }
    _modify { yield &own.deadlines }
  }

  /// Whether the response's body is read to its end at once, whatever its size within the limits, as a client does that
  /// asks for a value. Of others, and of a response that is no success, no more is read from the network than their reader
  /// takes. See ``CurlTransport/Options/allowsHTTP2``.
  public var readsWholeBody: Bool {
    get { fields.readsWholeBody }
    set { own.readsWholeBody = newValue }
  }

  /// How much may come back.
  public var limits: Limits {
    get { fields.limits }
    _modify { yield &own.limits }
  }

  /// Method and path without any value that was put into it, for errors, metrics and logs.
  public var name: String {
    get { fields.name }
    set { own.name = newValue }
  }

  /// Is told how much of the body was handed to the connection. Called on the transport's thread: be brief.
  public var uploadProgress: (@Sendable (TransferProgress) -> Void)? {
    get { fields.uploadProgress }
    set { own.uploadProgress = newValue }
  }

  /// Is told how much of the response has come. Called on the transport's thread: be brief.
  public var downloadProgress: (@Sendable (TransferProgress) -> Void)? {
    get { fields.downloadProgress }
    set { own.downloadProgress = newValue }
  }

  /// Which call it is of: the same for the one that an interceptor is given and for its copies, however they are changed.
  ///
  /// One that an interceptor makes by ``init(_:_:headers:body:name:)`` has none, and is another request. Sent elsewhere, it
  /// is not kept from doing the deed of the call twice.
  var mark: AnsweredRedirects? {
    get { fields.mark }
    set { own.mark = newValue }
  }
}

extension HTTPRequest: CustomStringConvertible {
  /// ``name``: what is private of a request is not printed.
  public var description: String { name }
}
