import CLoopbackServer
public import Foundation
import Synchronization

/// A small HTTP/1.1 server on 127.0.0.1, for tests, examples and tools.
///
/// It answers what its routes say: whole responses, streams that are pushed to while they last, and the two ways in
/// which servers fail that clients forget (a body that breaks off, an answer that never comes).
///
/// ```swift
/// let server = try LoopbackServer()
/// server.route("/trips") { _ in .json(#"[{"id": "1", "name": "Paris"}]"#) }
/// let (data, _) = try await URLSession.shared.data(from: server.url("/trips"))
/// #expect(server.requestCount("/trips") == 1)
/// server.stop()
/// ```
///
/// Each connection has a thread of its own, on which handlers run: a handler may block without holding up others. There are
/// 256 of them at most; one more is closed at once.
/// Routes may be added and replaced while the server runs.
public final class LoopbackServer: Sendable {
  /// Answers one request. It runs on the connection's thread; an error that it throws becomes a 500.
  public typealias Handler = @Sendable (Request) throws -> Response

  /// The port that the server listens on.
  public let port: UInt16

  private let core: ServerCore
  private let scheme: String

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - port: The port to listen on; 0 lets the system choose a free one.
  ///   - certificate: What a server that speaks TLS shows its clients; by default it does not.
  ///   - recordsRequests: Whether ``requests`` has what came. A server that is no test's, to which somebody sends what is
  ///     private, keeps none of it.
  /// - Throws: ``LoopbackServerError``, of which ``LoopbackServerError/portInUse(_:)`` is the one that users meet.
  public init(
    port: UInt16 = 0, certificate: Certificate? = nil, recordsRequests: Bool = true
  ) throws(LoopbackServerError) {
    core = try ServerCore(port: port, certificate: certificate, recordsRequests: recordsRequests)
    self.port = core.port
    scheme = certificate == nil ? "http" : "https"
  }

  /// Starts a server that records nothing, for whom anybody on the machine may ask.
  ///
  /// - Parameter bodyLimit: The longest body that is taken, in bytes: so much is held for each of 256 connections.
  package init(port: UInt16, bodyLimit: Int) throws(LoopbackServerError) {
    core = try ServerCore(port: port, certificate: nil, recordsRequests: false, bodyLimit: bodyLimit)
    self.port = core.port
    scheme = "http"
  }

  deinit {
    core.stop()
  }

  /// Answers requests for a path.
  ///
  /// A path that ends in `/*` stands for everything below it; the most precise route wins. A later call for the same
  /// method and path replaces the handler. A route for `GET` answers `HEAD` too.
  ///
  /// - Parameters:
  ///   - path: The path, beginning with a slash, without its query.
  ///   - method: The method to answer.
  ///   - handler: Makes the response.
  public func route(_ path: String, method: Method = .get, handler: @escaping Handler) {
    core.routes.withLock { $0.add(handler, method: method, path: path) }
  }

  /// The address of a path on this server.
  ///
  /// - Parameter path: The path, beginning with a slash; it may have a query.
  public func url(_ path: String = "/") -> URL {
    URL(string: "\(scheme)://127.0.0.1:\(port)\(path)") ?? URL(filePath: path)
  }

  /// How many requests have come for a path, whether a route answered them or not.
  ///
  /// Of the first paths that were asked for, up to 1 MiB of their names; those that come after them are not counted.
  public func requestCount(_ path: String) -> Int {
    core.counts.withLock { $0.byPath[path, default: 0] }
  }

  /// How many requests have come for each path; see ``requestCount(_:)``.
  public var requestCounts: [String: Int] {
    core.counts.withLock { $0.byPath }
  }

  /// The requests that have come whole, in their order: the last ``recordedLimit`` of them, whether a route answered or
  /// not.
  ///
  /// ```swift
  /// #expect(server.requests.map(\.body) == [Data(#"{"amount":"12.00"}"#.utf8)])
  /// #expect(server.requests.last?.headers["authorization"] == "Bearer 1")
  /// ```
  public var requests: [Request] { core.requests }

  /// 1,000: more than a test looks at, and little for a server that runs for days. Of their bodies and headers 64 MiB are
  /// kept at most, and for that fewer requests.
  public static let recordedLimit = RecordedRequests.limit

  /// Stops listening, ends open streams and hanging requests, and waits for running handlers.
  ///
  /// Not to be called from a handler, which would wait for itself. Stopping twice is no error.
  public func stop() {
    core.stop()
  }
}
