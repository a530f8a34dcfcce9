/// A named failure of a server, or of an intermediary between server and client.
///
/// ```swift
/// let server = try FaultServer(faults: .script([.closeAfterCommit, nil])) { request in store.answer(request) }
/// ```
///
/// ``reachesHandler`` says whether the request's handler runs: whether the server has acted, regardless of the response that the
/// client receives. ``all`` has one fault of each kind, for tests that cover all of them.
public struct ServerFault: Sendable, Hashable {
  /// The kinds of faults, which ``FaultServer`` implements.
  enum Kind: Sendable, Hashable {
    case closeBeforeCommit, closeAfterCommit, closeWithinHead, closeBeforeBody, reset, stall, stallWithinBody
    case drip(portion: Int, pause: Duration)
    case truncated(keeping: Int?)
    case wrongLength(by: Int)
    case truncatedCompression
    case compressedBomb(bytes: Int)
    case noHTTP, noJSON
    case portal, portalRedirect
    case redirectLoop(status: Int)
    case redirect(to: String, status: Int)
    case status(Int, retryAfter: RetryAfter?)
    case alwaysUnchanged, staleReplay, duplicatePage, reorderedPage
    case nextLinkLoop(member: String?)
    case dateSkew(Duration)
    case expiredCursor(status: Int)
  }

  /// The value of `Retry-After` in an error response (RFC 9110, section 10.2.3).
  public enum RetryAfter: Sendable, Hashable {
    /// A number of seconds.
    case seconds(Int)
    /// A date, as an offset from the server's clock; negative for a date in the past.
    case date(Duration)
    /// A text that is neither.
    case nonsense(String)
  }

  let kind: Kind
  /// The name of the fault in ``description`` and for ``named(_:)``.
  public let name: String

  init(_ name: String, _ kind: Kind) {
    self.name = name
    self.kind = kind
  }

  /// Whether the handler is run, so that the server has acted.
  public var reachesHandler: Bool {
    switch kind {
    case .closeBeforeCommit, .portal, .portalRedirect, .redirectLoop, .redirect, .status, .alwaysUnchanged,
      .staleReplay,
      .duplicatePage, .expiredCursor, .noHTTP, .stall:
      false
    default: true
    }
  }

  /// One fault of each kind, with default arguments.
  public static let all: [ServerFault] = [
    .closeBeforeCommit, .closeAfterCommit, .closeWithinHead, .closeBeforeBody, .reset, .stall, .stallWithinBody,
    .slowDrip(), .truncatedBody(), .wrongContentLength(), .truncatedCompression, .compressedBomb(), .noHTTP, .noJSON,
    .captivePortal, .captivePortalRedirect, .redirectLoop(), .redirect(to: "/elsewhere"), .status(503),
    .alwaysUnchanged,
    .staleReplay, .duplicatePage, .reorderedPage, .nextLinkLoop(), .dateSkew(), .expiredCursor(),
  ]

  /// Returns the fault in ``all`` with the specified name, or `nil` if there is none.
  ///
  /// ```swift
  /// let fault = ServerFault.named(ProcessInfo.processInfo.environment["FAULT"] ?? "closeAfterCommit")
  /// ```
  public static func named(_ name: String) -> ServerFault? { all.first { $0.name == name } }
}

extension ServerFault: CustomStringConvertible {
  public var description: String { name }
}
