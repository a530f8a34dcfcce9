public import Foundation
internal import Synchronization

/// A server on 127.0.0.1 that responds by a test's handler, and fails by a plan.
///
/// ```swift
/// let store = Store()
/// let server = try FaultServer(faults: .script([.closeAfterCommit])) { request in
///   store.insert(request.body, key: request.headers["idempotency-key"])
///   return .status(201)
/// }
/// defer { server.stop() }
/// try await client.request(.post("/payments", body: .json(payment)).with { $0.idempotencyKey = key })
/// #expect(store.count == 1 && server.log.map(\.wasHandled) == [true, true])
/// ```
///
/// The handler is the working server. A ``ServerFault`` determines whether the handler runs, and how its response is changed. To
/// fail a connection at a chosen byte, use a ``FaultProxy``. To script a connection byte for byte, use a ``ScriptedServer``.
public final class FaultServer: Sendable {
  /// A closure that responds to a request. It runs on the thread of the connection; several may run at the same time.
  public typealias Handler = @Sendable (ScriptedServer.RecordedRequest) -> Response

  /// A request and its outcome.
  public struct LogEntry: Sendable {
    public var request: ScriptedServer.RecordedRequest
    /// The fault of the request.
    public var fault: ServerFault?
    /// Whether the handler was run.
    public var wasHandled: Bool
  }

  private let server: ScriptedServer
  private let injector: FaultInjector

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - identity: The certificate and key of a server with TLS. By default the server has no TLS.
  ///   - faults: The plan that assigns faults to requests.
  ///   - now: The clock of the server, for `Date` and `Retry-After`.
  ///   - handler: A closure that returns the response of a working server.
  /// - Throws: ``LoopbackServerError`` if no port is available, or ``TestCertificateError`` if the identity is invalid.
  public init(
    identity: TestIdentity? = nil, faults: FaultPlan = .none, now: @escaping @Sendable () -> Date = { Date() },
    handler: @escaping Handler
  ) throws {
    let desk = FaultInjector(plan: faults, now: now, handler: handler)
    self.injector = desk
    server = try ScriptedServer(identity: identity) { _ in
      [.receiveRequest, .respond { desk.makeSteps(for: $0) }, .restart]
    }
  }

  deinit { server.stop() }

  /// The port on which the server listens.
  public var port: UInt16 { server.port }

  /// Returns the URL of a path on this server.
  public func url(_ path: String = "/") -> URL { server.url(path) }

  /// The received requests with their outcomes, in the order of arrival.
  public var log: [LogEntry] { injector.log }

  /// The received requests, in the order of arrival.
  public var requests: [ScriptedServer.RecordedRequest] { log.map(\.request) }

  /// Replaces the plan. The next request is the new plan's first.
  ///
  /// ```swift
  /// server.setPlan(.none)  // the server recovers
  /// ```
  public func setPlan(_ faults: FaultPlan) { injector.setPlan(faults) }

  /// Ends all connections, and stops listening.
  public func stop() { server.stop() }
}
