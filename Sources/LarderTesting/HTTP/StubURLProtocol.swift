internal import Dispatch
internal import Foundation
internal import Synchronization

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// A protocol that passes a stub's responses to the session of the request.
class StubURLProtocol: URLProtocol {
  /// The error of a request whose session, and with it the stub, no longer exists.
  struct MissingStubError: Error, CustomStringConvertible {
    let description = "The HTTPStub of this request is gone: its session was not kept."
  }

  /// A reference that is sent to another thread. It is unchecked, as the superclass forbids Sendable: the lock protects the mutable
  /// state, and the client is called by one thread at a time, within that lock.
  private struct SendableReference: @unchecked Sendable {
    let value: StubURLProtocol
  }

  private enum State {
    case waiting, ended
  }

  private let state = Mutex(State.waiting)

  override class func canInit(with request: URLRequest) -> Bool { true }

  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    let request = requestWithBody()
    let answers = HTTPStub.Responder.responder(of: type(of: self))
    let carried = SendableReference(value: self)
    // Not on the session's own queue, which one slow handler would block.
    DispatchQueue.global().async {
      do {
        guard let answers else { throw MissingStubError() }
        let response = try answers.response(to: request)
        DispatchQueue.global().asyncAfter(deadline: .now() + response.delay) { carried.value.deliver(response) }
      } catch {
        carried.value.deliver(error)
      }
    }
  }

  override func stopLoading() {
    state.withLock { state in
      #if canImport(FoundationNetworking)
        // On Linux, a session that cancels a task at the instant of the task's end notifies the client of a task that it has
        // forgotten, which ends the program. So the client gets no further calls.
        if state == .ended { client = nil }
      #endif
      state = .ended
    }
  }

  /// Returns the request in the form for handlers: with the contents of a body stream in `httpBody`.
  private func requestWithBody() -> URLRequest {
    var plain = request
    if plain.httpBody == nil, let stream = plain.httpBodyStream {
      plain.httpBody = Self.contents(of: stream)
    }
    return plain
  }

  private static func contents(of stream: InputStream) -> Data {
    stream.open()
    defer { stream.close() }
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = stream.read(&buffer, maxLength: buffer.count)
      guard count > 0 else { return data }
      data.append(contentsOf: buffer[..<count])
    }
  }

  private func deliver(_ response: HTTPStub.Response) {
    guard let url = request.url,
      let head = HTTPURLResponse(
        url: url, statusCode: response.status, httpVersion: "HTTP/1.1", headerFields: response.headers)
    else { return deliver(URLError(.badServerResponse)) }
    finish(unless: response.isEndless) { client in
      client?.urlProtocol(self, didReceive: head, cacheStoragePolicy: .notAllowed)
      // All data in one call: on Linux a session keeps the last part only.
      if !response.body.isEmpty { client?.urlProtocol(self, didLoad: response.body) }
      if case .failure(let error) = response.end {
        client?.urlProtocol(self, didFailWithError: error)
      } else {
        client?.urlProtocolDidFinishLoading(self)
      }
    }
  }

  private func deliver(_ error: any Error) {
    finish { $0?.urlProtocol(self, didFailWithError: error) }
  }

  /// Notifies the client, once, and not after the session has stopped loading: a second notification ends the program on Linux.
  private func finish(unless isEndless: Bool = false, _ tell: ((any URLProtocolClient)?) -> Void) {
    state.withLock { state in
      guard state == .waiting, !isEndless else { return }
      state = .ended
      tell(client)
    }
  }
}

extension HTTPStub.Response {
  /// Whether the response never arrives.
  fileprivate var isEndless: Bool {
    if case .never = end { true } else { false }
  }
}
