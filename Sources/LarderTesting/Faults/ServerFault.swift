/// A way in which servers, and what stands between them and a client, fail: by name, ready to be used.
///
/// ```swift
/// let server = try FaultServer(faults: .script([.closeAfterCommit, nil])) { request in store.answer(request) }
/// ```
///
/// Each says whether the request's handler is run (``reachesHandler``): whether the server has acted, whatever the client
/// hears of it. ``all`` has one of each kind, for tests that want to see them all.
public struct ServerFault: Sendable, Hashable {
  /// What happens; ``FaultServer`` knows what each of them means.
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

  /// What a refusal asks to wait (`Retry-After`, RFC 9110, section 10.2.3).
  public enum RetryAfter: Sendable, Hashable {
    /// A number of seconds.
    case seconds(Int)
    /// A date, so long after the server's clock; before it, where that is negative.
    case date(Duration)
    /// What is neither.
    case nonsense(String)
  }

  let kind: Kind
  /// What it is called in ``description``, and by ``named(_:)``.
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

  /// One of each kind, with what it is given by default.
  public static let all: [ServerFault] = [
    .closeBeforeCommit, .closeAfterCommit, .closeWithinHead, .closeBeforeBody, .reset, .stall, .stallWithinBody,
    .slowDrip(), .truncatedBody(), .wrongContentLength(), .truncatedCompression, .compressedBomb(), .noHTTP, .noJSON,
    .captivePortal, .captivePortalRedirect, .redirectLoop(), .redirect(to: "/elsewhere"), .status(503),
    .alwaysUnchanged,
    .staleReplay, .duplicatePage, .reorderedPage, .nextLinkLoop(), .dateSkew(), .expiredCursor(),
  ]

  /// The one of ``all`` that is called so; nil where there is none.
  ///
  /// ```swift
  /// let fault = ServerFault.named(ProcessInfo.processInfo.environment["FAULT"] ?? "closeAfterCommit")
  /// ```
  public static func named(_ name: String) -> ServerFault? { all.first { $0.name == name } }
}

extension ServerFault: CustomStringConvertible {
  public var description: String { name }
}
