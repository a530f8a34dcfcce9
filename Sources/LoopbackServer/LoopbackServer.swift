import CLoopbackServer
public import Foundation
import Synchronization

/// A small HTTP/1.1 server on 127.0.0.1, for tests, examples and tools.
///
/// Its routes send complete responses, streams to which a handler can write as long as they are open, and two failures that clients
/// often do not handle: a truncated body, and a response that never arrives.
///
/// ```swift
/// let server = try LoopbackServer()
/// server.route("/trips") { _ in .json(#"[{"id": "1", "name": "Paris"}]"#) }
/// let (data, _) = try await URLSession.shared.data(from: server.url("/trips"))
/// #expect(server.requestCount("/trips") == 1)
/// server.stop()
/// ```
///
/// Each connection has a thread of its own, on which handlers run: a handler may block without delaying other connections. At most
/// 256 connections are open; a further one is closed at once. Routes may be added and replaced while the server runs.
public final class LoopbackServer: Sendable {
  /// A closure that responds to one request. It runs on the connection's thread; an error that it throws becomes a 500.
  public typealias Handler = @Sendable (Request) throws -> Response

  /// The port on which the server listens.
  public let port: UInt16

  private let core: ServerCore
  private let scheme: String

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - port: The port on which the server listens; 0 lets the system choose a free one.
  ///   - certificate: The certificate of a server with TLS. By default the server has no TLS.
  ///   - recordsRequests: Whether the server stores its ``requests``. Pass `false` for a server outside of tests, whose requests
  ///     may
  ///     contain private data.
  /// - Throws: ``LoopbackServerError``. The most frequent case is ``LoopbackServerError/portInUse(_:)``.
  public init(
    port: UInt16 = 0, certificate: Certificate? = nil, recordsRequests: Bool = true
  ) throws(LoopbackServerError) {
    core = try ServerCore(port: port, certificate: certificate, recordsRequests: recordsRequests)
    self.port = core.port
    scheme = certificate == nil ? "http" : "https"
  }

  /// Starts a server that records no requests, for use by any process on the machine.
  ///
  /// - Parameter bodyLimit: The length of the longest accepted body, in bytes: that much memory may be used for each of 256
  ///   connections.
  package init(port: UInt16, bodyLimit: Int) throws(LoopbackServerError) {
    core = try ServerCore(port: port, certificate: nil, recordsRequests: false, bodyLimit: bodyLimit)
    self.port = core.port
    scheme = "http"
  }

  deinit {
    core.stop()
  }

  /// Adds a route.
  ///
  /// A path that ends in `/*` matches everything below it; the most specific route wins. A later call for the same method and path
  /// replaces the handler. A route for `GET` also responds to `HEAD`.
  ///
  /// - Parameters:
  ///   - path: The path, beginning with a slash, without its query.
  ///   - method: The method of the route.
  ///   - handler: A closure that returns the response.
  public func route(_ path: String, method: Method = .get, handler: @escaping Handler) {
    core.routes.withLock { $0.add(handler, method: method, path: path) }
  }

  /// Returns the URL of a path on this server.
  ///
  /// - Parameter path: The path, beginning with a slash; it may have a query.
  public func url(_ path: String = "/") -> URL {
    URL(string: "\(scheme)://127.0.0.1:\(port)\(path)") ?? URL(filePath: path)
  }

  /// Returns the number of requests for a path, including requests without a matching route.
  ///
  /// The server counts the first requested paths, up to 1 MiB of their names. Paths after that are not counted.
  public func requestCount(_ path: String) -> Int {
    core.counts.withLock { $0.byPath[path, default: 0] }
  }

  /// The number of requests for each path; see ``requestCount(_:)``.
  public var requestCounts: [String: Int] {
    core.counts.withLock { $0.byPath }
  }

  /// The complete requests in the order of arrival: the last ``recordedLimit`` of them, including requests without a matching
  /// route.
  ///
  /// ```swift
  /// #expect(server.requests.map(\.body) == [Data(#"{"amount":"12.00"}"#.utf8)])
  /// #expect(server.requests.last?.headers["authorization"] == "Bearer 1")
  /// ```
  public var requests: [Request] { core.requests }

  /// 1,000: more than a test reads, and little for a server that runs for days. At most 64 MiB of bodies and headers are kept, by
  /// keeping fewer requests.
  public static let recordedLimit = RecordedRequests.limit

  /// Stops listening, ends open streams and hanging requests, and waits for running handlers.
  ///
  /// Do not call it from a handler, which would wait for itself. A second call has no effect.
  public func stop() {
    core.stop()
  }
}
