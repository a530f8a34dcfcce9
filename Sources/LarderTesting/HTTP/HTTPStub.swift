internal import Synchronization

#if canImport(FoundationNetworking)
  internal import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// A mock HTTP client: a `URLSession` whose requests never leave the process, and whose responses a closure returns.
///
/// Pass the ``session`` to the tested code in place of `URLSession.shared`:
///
/// ```swift
/// let api = HTTPStub { request in
///   request.url?.path == "/trips" ? .json(#"[{"id": "1", "name": "Paris"}]"#) : .text("not here", status: 404)
/// }
/// let service = TripSyncService(modelContainer: container, httpClient: api.session, tripsURL: tripsURL)
/// try await service.syncTrips()
/// #expect(api.requests.count == 1)
/// ```
///
/// Each stub has a session and a closure of its own, so that tests run in parallel without affecting each other. The session keeps
/// the stub's responder, so the test need not hold the stub. To simulate failures, the closure throws the error of a connection
/// (`URLError(.timedOut)`), or returns ``Response/never`` or ``Response/interrupted(_:type:status:headers:error:)``. To test with a
/// real connection, use a ``LoopbackServer``.
public final class HTTPStub: Sendable {
  /// A closure that responds to one request. It runs on a queue of its own and may block; an error that it throws fails the
  /// request.
  ///
  /// A request with a body has the body in `httpBody`.
  public typealias Handler = @Sendable (URLRequest) throws -> Response

  /// The session of the stub. It stores no cookies and caches no responses.
  public let session: URLSession

  private let responder: Responder

  /// Creates a stub.
  ///
  /// - Parameters:
  ///   - configuration: The configuration of the session. The stub adds its protocol class to a copy.
  ///   - handler: A closure that returns the response to each request.
  public init(configuration: URLSessionConfiguration = .ephemeral, handler: @escaping Handler) {
    responder = Responder(handler)
    let configuration = configuration.copy() as? URLSessionConfiguration ?? .ephemeral
    configuration.protocolClasses = [responder.protocolClass]
    // The session keeps its delegate, so the responder exists as long as the session can make requests.
    session = URLSession(configuration: configuration, delegate: responder, delegateQueue: nil)
  }

  /// The received requests, in the order of arrival.
  public var requests: [URLRequest] { responder.requests.withLock { $0 } }

  /// Replaces the closure that responds to requests.
  ///
  /// ```swift
  /// api.setHandler { _ in throw URLError(.cannotConnectToHost) }
  /// ```
  public func setHandler(_ handler: @escaping Handler) {
    responder.handler.withLock { $0 = handler }
  }
}
