internal import Synchronization

#if canImport(FoundationNetworking)
  internal import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// A mock HTTP client: a `URLSession` whose requests never leave the process, and are answered by a closure.
///
/// What is to be tested is given its ``session`` in place of `URLSession.shared`:
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
/// Each stub has a session and a closure of its own, so that tests run in parallel without knowing of one another. It
/// lasts as long as its session does, whether or not anybody holds the stub. What fails for real can be had, too: a
/// closure throws what a connection would (`URLError(.timedOut)`), or answers ``Response/never`` or
/// ``Response/interrupted(_:type:status:headers:error:)``. Where it is the connection itself that matters, ask a
/// ``LoopbackServer``.
public final class HTTPStub: Sendable {
  /// Answers one request. It runs on a queue of its own and may block; what it throws fails the request.
  ///
  /// A request that was made from a body has it in `httpBody`.
  public typealias Handler = @Sendable (URLRequest) throws -> Response

  /// The session whose requests are answered. It stores no cookies and caches nothing.
  public let session: URLSession

  private let responder: Responder

  /// Makes a stub.
  ///
  /// - Parameters:
  ///   - configuration: What the session is to be like apart from where its answers come from.
  ///   - handler: Makes the response to each request.
  public init(configuration: URLSessionConfiguration = .ephemeral, handler: @escaping Handler) {
    responder = Responder(handler)
    let configuration = configuration.copy() as? URLSessionConfiguration ?? .ephemeral
    configuration.protocolClasses = [responder.protocolClass]
    // The session keeps its delegate, so that its requests find their answers for as long as there can be any.
    session = URLSession(configuration: configuration, delegate: responder, delegateQueue: nil)
  }

  /// The requests that have come, in their order.
  public var requests: [URLRequest] { responder.requests.withLock { $0 } }

  /// Answers from now on by another closure.
  ///
  /// ```swift
  /// api.answer { _ in throw URLError(.cannotConnectToHost) }
  /// ```
  public func setHandler(_ handler: @escaping Handler) {
    responder.handler.withLock { $0 = handler }
  }
}
