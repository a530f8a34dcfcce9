internal import Foundation
internal import Synchronization

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

extension HTTPStub {
  /// The source of responses to the requests of one session. The session's protocol class identifies it.
  final class Responder: NSObject, URLSessionDelegate, Sendable {
    private struct Weak: Sendable {
      weak let responder: Responder?
    }

    private static let responders = Mutex<[ObjectIdentifier: Weak]>([:])

    let protocolClass = StubURLProtocol.makeClass()
    let handler: Mutex<Handler>
    let requests = Mutex<[URLRequest]>([])

    init(_ handler: @escaping Handler) {
      self.handler = Mutex(handler)
      super.init()
      Self.responders.withLock { $0[ObjectIdentifier(protocolClass)] = Weak(responder: self) }
    }

    deinit {
      Self.responders.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(protocolClass)) }
    }

    static func responder(of protocolClass: StubURLProtocol.Type) -> Responder? {
      responders.withLock { $0[ObjectIdentifier(protocolClass)]?.responder }
    }

    /// Records a request, and returns its response.
    func response(to request: URLRequest) throws -> Response {
      requests.withLock { $0.append(request) }
      // Outside of the lock: a handler may read the requests, or replace itself.
      return try handler.withLock { $0 }(request)
    }
  }
}
