public import Foundation
internal import Synchronization

/// A server on 127.0.0.1 that follows a script byte for byte, and records the requests.
///
/// Use it for responses that a correct server never sends: interrupted, dripping, stalled, reset, or no HTTP at all.
///
/// ```swift
/// let server = try ScriptedServer { connection in
///   connection == 0
///     ? [.receiveRequest, .reset]
///     : [.receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")]
/// }
/// defer { server.stop() }
/// …
/// #expect(server.requests.count == 2)
/// ```
///
/// Each connection has a thread of its own, and is closed at the end of its script. For complete responses prefer a
/// ``LoopbackServer``.
public final class ScriptedServer: Sendable {
  /// A step of a connection's script.
  public enum Step: Sendable {
    /// Reads a request to the end of its body, and records it. Ends the script if the client closes before a request begins.
    case receiveRequest
    /// Reads a request's header, and records it without its body.
    case receiveHead
    /// Reads a number of bytes, and records nothing.
    case receive(bytes: Int)
    /// Sends a text.
    case send(String)
    /// Sends bytes.
    case sendData(Data)
    /// Sends the data that a closure returns, one piece after the other, until it returns `nil`. The closure is called after the
    /// previous piece has been sent, so that a body of any length is sent at the client's pace, and is never in memory as a whole.
    case sendEach(@Sendable () -> Data?)
    /// Sends bytes in portions with pauses between them.
    case drip(Data, portion: Int, pause: Duration)
    /// Passes received bytes, in pieces as they arrive, to a closure, and sends its reply at once, until the closure returns that
    /// the reply was the last. For protocols other than HTTP/1.1.
    case respondEach(@Sendable (Data) -> (reply: Data, isLast: Bool))
    /// Waits.
    case wait(Duration)
    /// Waits until the client disconnects or the server stops.
    case stall
    /// Resets the connection.
    case reset
    /// Runs the steps that a closure returns for the request that was read last.
    ///
    /// ```swift
    /// [.receiveRequest, .respond { $0.method == "GET" ? [.send(answer)] : [.close] }, .restart]
    /// ```
    case respond(@Sendable (RecordedRequest) -> [Step])
    /// Ends the script here, also from within ``respond(_:)``.
    case close
    /// Restarts the script from its beginning.
    case restart
  }

  /// A recorded request.
  public struct RecordedRequest: Sendable {
    public var method: String
    /// Path and query, as they were sent.
    public var target: String
    /// The header fields. Names are in lower case; the values of several fields with one name are joined by commas.
    public var headers: [String: String]
    public var body: Data
    /// The number of the connection, from 0.
    public var connection: Int

    /// The target without its query, as it was sent: `/a%2Fb`.
    ///
    /// ```swift
    /// switch (request.method, request.encodedPath) {
    /// case ("GET", "/v1/payments"): .json("[]")
    /// default: .status(404)
    /// }
    /// ```
    public var encodedPath: String { String(target.prefix { $0 != "?" }) }
  }

  /// The port on which the server listens.
  public var port: UInt16 { listener.port }
  private let listener: LoopbackListener
  private let tls: TLSServerContext?
  private let script: @Sendable (Int) -> [Step]
  private let state = Mutex(State())

  private struct State {
    var requests: [RecordedRequest] = []
    var sockets: [RawSocket?] = []
    var isStopped = false
  }

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - identity: The certificate and key of a server with TLS. By default the server has no TLS. A failed handshake ends the
  ///     connection before its script begins.
  ///   - applicationProtocol: The protocol that the server selects over TLS if a client offers it (ALPN, RFC 7301), such as `h2`.
  ///   - script: A closure that receives the number of a connection, from 0, and returns its steps.
  /// - Throws: ``LoopbackServerError`` if no port is available, or ``TestCertificateError`` if the identity is invalid.
  public init(
    identity: TestIdentity? = nil, applicationProtocol: String? = nil, _ script: @escaping @Sendable (Int) -> [Step]
  ) throws {
    self.script = script
    tls = try identity.map { try TLSServerContext($0, applicationProtocol: applicationProtocol) }
    listener = try LoopbackListener()
    // The listener holds the server until it is stopped.
    listener.accept { [self] in serve($0) }
  }

  /// Returns the URL of a path on this server.
  public func url(_ path: String = "/") -> URL {
    URL(string: "\(tls == nil ? "http" : "https")://127.0.0.1:\(port)\(path)") ?? URL(filePath: path)
  }

  /// The requests that were read, in the order of their completion.
  public var requests: [RecordedRequest] { state.withLock { $0.requests } }

  /// The number of connections so far.
  public var connectionCount: Int { state.withLock { $0.sockets.count } }

  /// The number of open connections.
  public var openConnectionCount: Int { state.withLock { $0.sockets.count { $0 != nil } } }

  /// Ends all connections, and stops listening.
  public func stop() {
    let sockets = state.withLock { state in
      state.isStopped = true
      listener.stop()
      return state.sockets.compactMap { $0 }
    }
    for socket in sockets { socket.shutDown() }
  }

  private var isStopped: Bool { state.withLock { $0.isStopped } }

  private func serve(_ socket: RawSocket) {
    let number = state.withLock { state in
      state.sockets.append(socket)
      return state.isStopped ? nil : state.sockets.count - 1
    }
    guard let number else { return }
    Thread.detachNewThread { [self] in
      if let tls, !socket.startTLS(by: tls) {
        state.withLock { $0.sockets[number] = nil }
        return
      }
      run(script(number), on: RequestReader(socket), number: number)
      // This is the last reference, so the descriptor is closed.
      state.withLock { $0.sockets[number] = nil }
    }
  }

  /// The end of a script, or of a part of it.
  private enum Ending {
    case completed, restart, closed
    /// The connection is no longer usable.
    case disconnected
  }

  private func run(_ steps: [Step], on reader: RequestReader, number: Int) {
    var ending = Ending.restart
    while ending == .restart { ending = perform(steps, on: reader, number: number) }
    guard ending != .disconnected else { return }
    reader.socket.shutDownSending()
    // Reads remaining bytes of the client, so that the client receives an end and no reset.
    while !isStopped, reader.socket.receive() != nil {}
  }

  private func perform(_ steps: [Step], on reader: RequestReader, number: Int) -> Ending {
    for step in steps {
      guard !isStopped else { return .closed }
      let ending = perform(step, on: reader, number: number)
      guard ending == .completed else { return ending }
    }
    return .completed
  }

  private func perform(_ step: Step, on reader: RequestReader, number: Int) -> Ending {
    let socket = reader.socket
    switch step {
    case .receiveRequest, .receiveHead:
      var hasBody = false
      if case .receiveRequest = step { hasBody = true }
      guard var request = reader.readRequest(withBody: hasBody) else { return .disconnected }
      request.connection = number
      reader.lastRequest = request
      state.withLock { $0.requests.append(request) }
    case .receive(let bytes): reader.skip(bytes)
    case .send(let text): guard socket.send(Data(text.utf8)) else { return .disconnected }
    case .sendData(let data): guard socket.send(data) else { return .disconnected }
    case .sendEach(let next):
      while !isStopped, let data = next() {
        guard socket.send(data) else { return .disconnected }
      }
    case .respondEach(let answer):
      while !isStopped {
        guard let data = socket.receive() else { return .disconnected }
        let (reply, isLast) = answer(data)
        guard reply.isEmpty || socket.send(reply) else { return .disconnected }
        if isLast { return .completed }
      }
    case .drip(let data, let portion, let pause):
      var rest = data[...]
      let portion = max(1, portion)
      while !rest.isEmpty, !isStopped {
        guard socket.send(Data(rest.prefix(portion))) else { return .disconnected }
        rest = rest.dropFirst(portion)
        sleep(for: pause)
      }
    case .wait(let duration): sleep(for: duration)
    case .stall:
      while !isStopped, !socket.peerCloses(within: 50) {}
    case .reset:
      socket.resetOnClose()
      return .disconnected
    case .respond(let make): return reader.lastRequest.map { perform(make($0), on: reader, number: number) } ?? .closed
    case .close: return .closed
    case .restart: return .restart
    }
    return .completed
  }

  private func sleep(for duration: Duration) {
    let end = ContinuousClock.now + max(.zero, duration)
    // In short intervals, so that `stop()` does not wait for the whole pause.
    while !isStopped {
      let left = min(end - .now, .milliseconds(50))
      guard left > .zero else { return }
      Thread.sleep(forTimeInterval: left.inSeconds)
    }
  }
}
