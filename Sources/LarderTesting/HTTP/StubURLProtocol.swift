internal import Dispatch
internal import Foundation
internal import Synchronization

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// Carries a stub's answers to the session that asked.
class StubURLProtocol: URLProtocol {
  /// A request whose session, and with it the stub, have gone.
  struct MissingStubError: Error, CustomStringConvertible {
    let description = "The HTTPStub of this request is gone: its session was not kept."
  }

  /// One of these on its way to another thread. It is unchecked, as the class that it inherits from forbids to be
  /// Sendable: what changes is behind a lock, and its client is called by one thread at a time, within that lock.
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
    // Not on the session's own queue, which one slow handler would stop.
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
        // A session on Linux that is asked to cancel a task at the instant of its end tells the client of a task that it
        // has forgotten, which ends the program. There is nothing left to tell.
        if state == .ended { client = nil }
      #endif
      state = .ended
    }
  }

  /// The request as a handler is to see it: with the body that a stream would bring.
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
      // All of it at once: a session on Linux keeps the last part only.
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

  /// Tells the client, once, and not after the session has stopped listening: a task that is told twice ends the
  /// program on Linux.
  private func finish(unless isEndless: Bool = false, _ tell: ((any URLProtocolClient)?) -> Void) {
    state.withLock { state in
      guard state == .waiting, !isEndless else { return }
      state = .ended
      tell(client)
    }
  }
}

extension HTTPStub.Response {
  /// Whether nobody ever hears of it.
  fileprivate var isEndless: Bool {
    if case .never = end { true } else { false }
  }
}
