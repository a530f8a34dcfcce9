public import Foundation

/// A failure of a request: what matters of it is its ``kind``, and whether the server may have acted (``delivery``).
///
/// ```swift
/// do throws(HTTPError) {
///   try await client.request(PaymentEndpoint.createPayment(payment))
/// } catch {
///   switch (error.kind, error.delivery) {
///   case (.refused(422), _): show(error.problem?.fieldMessages)
///   case (.unauthorized, _): signIn()
///   case (_, .notSent): showOffline()
///   case (_, .maybeSent): askTheServerWhetherItHappened()
///   case (_, .answered): show(error.advice)
///   }
/// }
/// ```
///
/// Within a closure, such as that of a `Task`, Swift takes an error for `any Error` unless `do` says what is thrown.
///
/// Ask ``delivery``, and not the kind, whether to send again: a deadline may pass before or after anything was sent, and
/// where one attempt of several may have arrived, that is said of them all.
///
/// Neither ``description`` nor ``advice`` has a value in it that may be private: no part of an address but its template and,
/// where it matters, its host; no header, no body; of a ``CredentialsUnavailableError`` what its source says. What the server said of the failure is in ``problem`` and ``body``, for whoever asks.
public struct HTTPError: Error, Sendable {
  /// In one place, behind one word: whatever may throw an error has room for it, and most of them do not.
  private var contents: Contents

  /// What failed.
  public var kind: Kind {
    get { contents.values.kind }
    set { change { $0.kind = newValue } }
  }
  /// Whether the request may have been acted upon.
  public var delivery: Delivery {
    get { contents.values.delivery }
    set { change { $0.delivery = newValue } }
  }
  /// The status of the response, where there was one.
  public var status: Int? {
    get { contents.values.status }
    set { change { $0.status = newValue } }
  }
  /// The header of the response, where there was one.
  public var headers: HTTPHeaders {
    get { contents.values.headers }
    set { change { $0.headers = newValue } }
  }
  /// What the server said of the failure, by RFC 9457.
  public var problem: ProblemDetails? {
    get { contents.values.problem }
    set { change { $0.problem = newValue } }
  }
  /// The beginning of the body of a refusal, or of an answer that could not be decoded: ``errorBodyLimit`` bytes at most.
  public var body: Data {
    get { contents.values.body }
    set { change { $0.body = newValue } }
  }
  /// Why the server's certificate is not trusted, where it is not and that is known.
  public var certificateProblem: CertificateProblem? {
    get { contents.values.certificateProblem }
    set { change { $0.certificateProblem = newValue } }
  }
  /// The proxy that has failed, where it is a proxy that has (``ConnectionFailure/proxy``).
  public var proxy: ProxyFailure? {
    get { contents.values.proxy }
    set { change { $0.proxy = newValue } }
  }
  /// Where an answer that should be JSON is none (``Kind/notJSON(mediaType:)``), if that was looked for.
  public var textPosition: TextPosition? {
    get { contents.values.textPosition }
    set { change { $0.textPosition = newValue } }
  }
  /// How many attempts were made; 0 where it failed before there was a request to attempt.
  public var attempts: Int {
    get { contents.values.attempts }
    set { change { $0.attempts = newValue } }
  }
  /// The request, without values: `POST /v1/payments/{}/cancel`.
  public var request: String? {
    get { contents.values.request }
    set { change { $0.request = newValue } }
  }
  /// Where a redirect had led when it failed, by its scheme, host and port: `https://files.example:8443`. Nil where it failed at
  /// the address that was asked.
  public var redirectedTo: String? {
    get { contents.values.redirectedTo }
    set { change { $0.redirectedTo = newValue } }
  }
  /// Whether the request was refused that had no `User-Agent`.
  var wasSentWithoutUserAgent: Bool {
    get { contents.values.wasSentWithoutUserAgent }
    set { change { $0.wasSentWithoutUserAgent = newValue } }
  }
  /// Whether the request is one that changes nothing (RFC 9110, section 9.2.1), so that it does no harm to repeat it.
  var isSafe: Bool {
    get { contents.values.isSafe }
    set { change { $0.isSafe = newValue } }
  }
  /// What the last attempt took, where that is known.
  public var metrics: HTTPMetrics? {
    get { contents.values.metrics }
    set { change { $0.metrics = newValue } }
  }
  /// What was thrown by somebody else: by a body's sequence, a decoder, an interceptor. It may hold private values.
  public var underlying: (any Error)? {
    get { contents.values.underlying }
    set { change { $0.underlying = newValue } }
  }

  /// Makes an error, for a transport or a stand-in of one to throw.
  ///
  /// ```swift
  /// throw HTTPError(.notSent(.unreachable), delivery: .notSent)
  /// ```
  public init(_ kind: Kind, delivery: Delivery, status: Int? = nil, underlying: (any Error)? = nil) {
    contents = Contents(Values(kind: kind, delivery: delivery, status: status, underlying: underlying))
  }

  /// What has failed in the end: of a request that waited for its credentials (``Kind/noCredentials``) the error of the
  /// request for those, and of any other this one.
  ///
  /// ```swift
  /// if case .pinMismatch = error.rootCause.kind { queue.end() }
  /// ```
  ///
  /// Ask this for what is wrong, and the error itself for what became of the request: ``delivery`` here is of the request for
  /// the credentials.
  public var rootCause: HTTPError {
    guard kind == .credentialsUnavailable else { return self }
    let cause = (underlying as? CredentialsUnavailableError)?.underlying ?? underlying
    return (cause as? HTTPError)?.rootCause ?? self
  }

  /// Whether the server may have acted upon the request.
  public enum Delivery: String, Sendable, Hashable {
    /// Surely not: no byte of it went out, or only to be refused for its credentials.
    case notSent
    /// Some or all of it went out, and no answer came.
    case maybeSent
    /// There was an answer, at least the head of one.
    case responded
  }

  /// What failed.
  public enum Kind: Sendable, Hashable {
    /// The request cannot be sent as it is. Sending it again fails again.
    case invalidRequest(InvalidRequest)
    /// The server was not reached; it has seen nothing of the request.
    case notSent(ConnectionFailure)
    /// The connection failed after some of the request went out, in this attempt or in a former one, and before an answer.
    case maybeSent(ConnectionFailure)
    /// The server answered, and its answer broke off or cannot be read.
    case interrupted(ConnectionFailure)
    /// The server answered with a status that is no success.
    case unacceptableStatus(Int)
    /// The server asks to wait: until then, where it says so. The status is 429, or another one (503, 403) by which it says
    /// so. What is later than in 366 days is taken for that.
    case rateLimited(until: Date?)
    /// The server wants other credentials, or any (401).
    case unauthorized
    /// The user needs to sign in; nothing is sent until then (``BearerAuthentication``). The request was not acted upon,
    /// unless ``HTTPError/delivery`` says that something before, such as a redirect, may have been.
    case needsSignIn
    /// The source of the credentials has failed in a way that says nothing of them: how is under
    /// ``HTTPError/underlying``, an ``HTTPError`` or a ``CredentialsUnavailableError``, say; ``HTTPError/rootCause`` is what has
    /// failed in the end. The request was not acted upon, unless ``HTTPError/delivery`` says that something before, such as a redirect, may have been.
    case credentialsUnavailable
    /// The server's key is none of those that this host is pinned to.
    case pinMismatch(host: String)
    /// The response is larger than the limit that is named.
    case tooLarge(SizeLimit)
    /// A success that is no JSON: a page, which a network's portal puts in the place of the answer; or what calls itself JSON,
    /// and is cut off or damaged.
    case notJSON(mediaType: String?)
    /// A success without a body (204, or a length of zero), where a value was asked for that cannot be nil; or, with the
    /// status 304, the answer to a condition that the request itself has made.
    case noContent
    /// The response is JSON, and not of the type that was asked for. The path leads to the value, by the keys that the
    /// type declares; other keys are data, and only in ``HTTPError/underlying``.
    case undecodable(path: String)
    /// A redirect that is not followed.
    case redirect(RedirectFailure)
    /// The task was cancelled.
    case cancelled
    /// A deadline passed.
    case deadline(DeadlinePhase)
    /// The file to which a response was to be written failed. The number is `errno`. Where its folder is not there, or nothing
    /// can be written in it, nothing was sent.
    case file(errno: Int32)
  }

  /// What the deadline was of.
  public enum DeadlinePhase: String, Sendable, Hashable {
    /// Until a connection stands.
    case connect
    /// From the request's end to the first byte of the answer.
    case firstByte
    /// Between two pieces that come or go.
    case idle
    /// The whole, with all attempts.
    case total
  }

  /// Which limit was passed, in bytes.
  public enum SizeLimit: Sendable, Hashable {
    /// Of the body as it comes.
    case body(limit: Int)
    /// Of the body when it is decompressed.
    case decompressedBody(limit: Int)
    /// Of the header, or of one line of it.
    case headers(limit: Int)
  }

  /// 64 KiB: how much of the body of a refusal is kept.
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

  // @unchecked: the values are changed by ``change(_:)`` alone, while one error alone has them.
  fileprivate final class Contents: @unchecked Sendable {
    var values: Values
    init(_ values: Values) { self.values = values }
  }

  /// Changes the values in place, of which other errors that were copied of this one have their own from then on.
  private mutating func change(_ edit: (inout Values) -> Void) {
    if !isKnownUniquelyReferenced(&contents) { contents = Contents(contents.values) }
    edit(&contents.values)
  }
}
