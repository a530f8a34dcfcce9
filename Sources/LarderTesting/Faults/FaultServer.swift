public import Foundation
internal import Synchronization

/// A server on 127.0.0.1 that answers as a test says, and fails as a plan says.
///
/// ```swift
/// let store = Store()
/// let server = try FaultServer(faults: .script([.closeAfterCommit])) { request in
///   store.insert(request.body, key: request.headers["idempotency-key"])
///   return .status(201)
/// }
/// defer { server.stop() }
/// try await client.request(.post("/payments", body: .json(payment)).with { $0.idempotencyKey = key })
/// #expect(store.count == 1 && server.log.map(\.hasActed) == [true, true])
/// ```
///
/// The handler stands for the server that is well; ``ServerFault`` says what becomes of its answer, and whether it is
/// asked at all. What is to fail at a chosen byte goes through a ``FaultProxy``; what is to fail byte for byte is a
/// ``ScriptedServer``.
public final class FaultServer: Sendable {
  /// Answers a request. It runs on the thread of its connection, several at a time.
  public typealias Handler = @Sendable (ScriptedServer.RecordedRequest) -> Response

  /// What became of a request.
  public struct LogEntry: Sendable {
    public var request: ScriptedServer.RecordedRequest
    /// What it met.
    public var fault: ServerFault?
    /// Whether the handler was run.
    public var wasHandled: Bool
  }

  private let server: ScriptedServer
  private let injector: FaultInjector

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - identity: The certificate and key of a server that speaks TLS; by default it does not.
  ///   - faults: Which request meets which fault.
  ///   - now: The clock of the server, for `Date` and `Retry-After`.
  ///   - handler: Makes the answer of a server that is well.
  /// - Throws: ``LoopbackServerError``, or ``TestCertificateError``.
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

  /// The port that is listened on.
  public var port: UInt16 { server.port }

  /// The address of a path on this server.
  public func url(_ path: String = "/") -> URL { server.url(path) }

  /// The requests that have come, with what became of each, in the order of arrival.
  public var log: [LogEntry] { injector.log }

  /// The requests that have come, in the order of arrival.
  public var requests: [ScriptedServer.RecordedRequest] { log.map(\.request) }

  /// From now on by another plan, whose first request is the next one.
  ///
  /// ```swift
  /// server.plan(.none)  // it heals
  /// ```
  public func setPlan(_ faults: FaultPlan) { injector.setPlan(faults) }

  /// Ends all connections, and listens no more.
  public func stop() { server.stop() }
}
