public import Foundation

/// An error of a request, with its ``kind``, and whether the server may have processed the request (``delivery``).
///
/// ```swift
/// do throws(HTTPError) {
///   try await client.request(PaymentEndpoint.createPayment(payment))
/// } catch {
///   switch (error.kind, error.delivery) {
///   case (.unacceptableStatus(422), _): show(error.problem?.fieldMessages)
///   case (.unauthorized, _): signIn()
///   case (_, .notSent): showOffline()
///   case (_, .maybeSent): askTheServerWhetherItHappened()
///   case (_, .responded): show(error.advice)
///   }
/// }
/// ```
///
/// Within a closure, such as that of a `Task`, Swift infers `any Error` unless `do` declares the thrown type.
///
/// Use ``delivery``, and not the kind, to decide whether to send again: a deadline may pass before or after a part was sent, and
/// if one of several attempts may have arrived, the delivery of the whole request says so.
///
/// Neither ``description`` nor ``advice`` contains private values: no part of a URL but its template and, where needed, its
/// host; no header, no body; of a ``CredentialsUnavailableError`` only the words of its source. The server's own explanation
/// is in ``problem`` and ``body``.
public struct HTTPError: Error, Sendable {
  /// The values in one reference of a word's size: every function that may throw an error has room for it, and few throw.
  private var contents: Contents

  /// The kind of the failure.
  public var kind: Kind {
    get { contents.values.kind }
    set { change { $0.kind = newValue } }
  }
  /// Whether the server may have processed the request.
  public var delivery: Delivery {
    get { contents.values.delivery }
    set { change { $0.delivery = newValue } }
  }
  /// The status of the response, if there was one.
  public var status: Int? {
    get { contents.values.status }
    set { change { $0.status = newValue } }
  }
  /// The header of the response, if there was one.
  public var headers: HTTPHeaders {
    get { contents.values.headers }
    set { change { $0.headers = newValue } }
  }
  /// The server's explanation of the failure (RFC 9457).
  public var problem: ProblemDetails? {
    get { contents.values.problem }
    set { change { $0.problem = newValue } }
  }
  /// The beginning of the body of a refusal, or of a response that could not be decoded: ``errorBodyLimit`` bytes at most.
  public var body: Data {
    get { contents.values.body }
    set { change { $0.body = newValue } }
  }
  /// The reason why the server's certificate is not trusted, if that is the failure and the reason is known.
  public var certificateProblem: CertificateProblem? {
    get { contents.values.certificateProblem }
    set { change { $0.certificateProblem = newValue } }
  }
  /// The proxy that failed, if the failure is that of a proxy (``ConnectionFailure/proxy``).
  public var proxy: ProxyFailure? {
    get { contents.values.proxy }
    set { change { $0.proxy = newValue } }
  }
  /// The position of the first error in a response that is invalid JSON (``Kind/notJSON(mediaType:)``), if it was looked for.
  public var textPosition: TextPosition? {
    get { contents.values.textPosition }
    set { change { $0.textPosition = newValue } }
  }
  /// The number of attempts; 0 if the failure came before the first attempt.
  public var attempts: Int {
    get { contents.values.attempts }
    set { change { $0.attempts = newValue } }
  }
  /// The method and the path template, without values: `POST /v1/payments/{}/cancel`.
  public var request: String? {
    get { contents.values.request }
    set { change { $0.request = newValue } }
  }
  /// The origin that failed after a redirect, its scheme, host and port: `https://files.example:8443`. Nil if the failure
  /// happened at the request's own address.
  public var redirectedTo: String? {
    get { contents.values.redirectedTo }
    set { change { $0.redirectedTo = newValue } }
  }
  /// Whether the refused request had no `User-Agent`.
  var wasSentWithoutUserAgent: Bool {
    get { contents.values.wasSentWithoutUserAgent }
    set { change { $0.wasSentWithoutUserAgent = newValue } }
  }
  /// Whether the request changes nothing (RFC 9110, section 9.2.1), so that it is harmless to repeat.
  var isSafe: Bool {
    get { contents.values.isSafe }
    set { change { $0.isSafe = newValue } }
  }
  /// The metrics of the last attempt, if they are known.
  public var metrics: HTTPMetrics? {
    get { contents.values.metrics }
    set { change { $0.metrics = newValue } }
  }
  /// An error from other code: a body's sequence, a decoder, an interceptor. It may hold private values.
  public var underlying: (any Error)? {
    get { contents.values.underlying }
    set { change { $0.underlying = newValue } }
  }

  /// Creates an error, for a transport or a stub of one to throw.
  ///
  /// ```swift
  /// throw HTTPError(.notSent(.unreachable), delivery: .notSent)
  /// ```
  public init(_ kind: Kind, delivery: Delivery, status: Int? = nil, underlying: (any Error)? = nil) {
    contents = Contents(Values(kind: kind, delivery: delivery, status: status, underlying: underlying))
  }

  /// The first cause: for a request that waited for its credentials (``Kind/credentialsUnavailable``) the error of the
  /// credentials' own request, and for any other failure this error.
  ///
  /// ```swift
  /// if case .pinMismatch = error.rootCause.kind { queue.end() }
  /// ```
  ///
  /// Use it to find the fault, and the error itself for the state of the request: ``delivery`` here is that of the request for
  /// the credentials.
  public var rootCause: HTTPError {
    guard kind == .credentialsUnavailable else { return self }
    let cause = (underlying as? CredentialsUnavailableError)?.underlying ?? underlying
    return (cause as? HTTPError)?.rootCause ?? self
  }

  /// Whether the server may have processed the request.
  public enum Delivery: String, Sendable, Hashable {
    /// Certainly not: no byte of it was sent, or it was refused for its credentials alone.
    case notSent
    /// Some or all of it was sent, and no response came.
    case maybeSent
    /// There was a response, at least its head.
    case responded
  }

  /// The kinds of failures.
  public enum Kind: Sendable, Hashable {
    /// The request is invalid. Sending it again fails again.
    case invalidRequest(InvalidRequest)
    /// The server was not reached, and has received no part of the request.
    case notSent(ConnectionFailure)
    /// The connection failed after a part of the request was sent, in this attempt or an earlier one, and before a response.
    case maybeSent(ConnectionFailure)
    /// The response broke off, or cannot be read.
    case interrupted(ConnectionFailure)
    /// The server responded with a status that is no success.
    case unacceptableStatus(Int)
    /// The server asks the client to wait, until the date if it names one. The status is 429, or another one (503, 403) with
    /// such a request. A date more than 366 days from now is reduced to that.
    case rateLimited(until: Date?)
    /// The server requires other credentials, or any credentials at all (401).
    case unauthorized
    /// The user needs to sign in; nothing is sent until then (``BearerAuthentication``). The request was not processed, unless
    /// ``HTTPError/delivery`` shows that an earlier step, such as a redirect, may have been.
    case needsSignIn
    /// The source of the credentials failed, which says nothing about their validity. Its error is in ``HTTPError/underlying``, for
    /// example an ``HTTPError`` or a ``CredentialsUnavailableError``; ``HTTPError/rootCause`` is the first cause. The request was
    /// not processed, unless ``HTTPError/delivery`` shows that an earlier step, such as a redirect, may have been.
    case credentialsUnavailable
    /// The server's key is none of the pins of this host.
    case pinMismatch(host: String)
    /// The response is larger than the given limit.
    case tooLarge(SizeLimit)
    /// A success that is no JSON: a page that a network's portal sends in place of the response, or a body that is declared as
    /// JSON and is cut off or damaged.
    case notJSON(mediaType: String?)
    /// A success without a body (204, or a length of zero) for a type that is not optional; or a 304, the response to the request's
    /// own condition.
    case noContent
    /// The response is JSON of another type than the requested one. The path to the value has the keys that the type declares;
    /// other keys are data, and only in ``HTTPError/underlying``.
    case undecodable(path: String)
    /// A redirect was not followed.
    case redirect(RedirectFailure)
    /// The task was cancelled.
    case cancelled
    /// A deadline passed.
    case deadline(DeadlinePhase)
    /// Writing the response to a file failed, with this `errno`. If the file's folder does not exist, or cannot be written to,
    /// nothing was sent.
    case file(errno: Int32)
  }

  /// The phases that have a deadline.
  public enum DeadlinePhase: String, Sendable, Hashable {
    /// Until the connection is established.
    case connect
    /// From the end of the request to the first byte of the response.
    case firstByte
    /// Between two pieces of data, in either direction.
    case idle
    /// The whole request, with all attempts.
    case total
  }

  /// The limit that was exceeded, in bytes.
  public enum SizeLimit: Sendable, Hashable {
    /// The limit on the body as it arrives.
    case body(limit: Int)
    /// The limit on the body after decompression.
    case decompressedBody(limit: Int)
    /// The limit on the header, or on one line of it.
    case headers(limit: Int)
  }

  /// 64 KiB: the part of a refusal's body that is kept.
  public static let errorBodyLimit = 64 << 10
}

extension HTTPError {
  fileprivate struct Values {
    var kind: Kind
    var delivery: Delivery
    var status: Int?
    var headers: HTTPHeaders = [:]
    var problem: ProblemDetails?
    var body: Data = Data()
    var certificateProblem: CertificateProblem?
    var proxy: ProxyFailure?
    var textPosition: TextPosition?
    var wasSentWithoutUserAgent = false
    var attempts: Int = 1
    var request: String?
    var redirectedTo: String?
    var isSafe = false
    var metrics: HTTPMetrics?
    var underlying: (any Error)?
  }

  // @unchecked: only ``change(_:)`` changes the values, and only while a single error refers to them.
  fileprivate final class Contents: @unchecked Sendable {
    var values: Values
    init(_ values: Values) { self.values = values }
  }

  /// Changes the values in place, after a copy if other errors refer to them.
  private mutating func change(_ edit: (inout Values) -> Void) {
    if !isKnownUniquelyReferenced(&contents) { contents = Contents(contents.values) }
    edit(&contents.values)
  }
}
