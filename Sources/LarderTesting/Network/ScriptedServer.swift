public import Foundation
internal import Synchronization

/// A server on 127.0.0.1 that does byte for byte what a script says, and notes what it was asked.
///
/// For what no server that means well does: an answer that breaks off, drips, stalls, is reset, or is no HTTP at all.
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
/// Each connection has a thread of its own, and is closed at the end of its script. A ``LoopbackServer`` is the better
/// choice where the answers are whole.
public final class ScriptedServer: Sendable {
  /// What is done on a connection.
  public enum Step: Sendable {
    /// Reads a request to the end of its body, and notes it. Ends the script where the client closes before one begins.
    case receiveRequest
    /// Reads a request's header, and notes it without its body.
    case receiveHead
    /// Reads some bytes, and notes nothing.
    case receive(bytes: Int)
    /// Sends a text.
    case send(String)
    /// Sends bytes.
    case sendData(Data)
    /// Sends what is given, one after the other, until there is none. Each is asked for when the one before is taken, so that
    /// a body of any length is sent at the client's pace, and is never in memory as a whole.
    case sendEach(@Sendable () -> Data?)
    /// Sends bytes in portions with pauses between them.
    case drip(Data, portion: Int, pause: Duration)
    /// Gives what comes, in the pieces in which it comes, to a function, and sends what that returns, at once; until it says
    /// that this was the last. For protocols other than HTTP/1.1.
    case respondEach(@Sendable (Data) -> (reply: Data, isLast: Bool))
    /// Does nothing for a while.
    case wait(Duration)
    /// Does nothing until the client goes or the server stops.
    case stall
    /// Closes the connection by a reset.
    case reset
    /// Does what is made of the request that was read last.
    ///
    /// ```swift
    /// [.receiveRequest, .respond { $0.method == "GET" ? [.send(answer)] : [.close] }, .again]
    /// ```
    case respond(@Sendable (RecordedRequest) -> [Step])
    /// Ends the script here, also from within ``respond(_:)``.
    case close
    /// Begins the script anew.
    case restart
  }

  /// A request as it came.
  public struct RecordedRequest: Sendable {
    public var method: String
    /// Path and query, as they were sent.
    public var target: String
    /// The names are in lower case; of several fields of one name, the values are joined by commas.
    public var headers: [String: String]
    public var body: Data
    /// The connection, counted from 0.
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

  /// The port that is listened on.
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
  ///   - identity: The certificate and key of a server that speaks TLS; by default it does not. What the client's
  ///     handshake fails with ends the connection before its script begins.
  ///   - applicationProtocol: What the server agrees to speak over TLS where a client offers it (ALPN, RFC 7301): `h2`, say.
  ///   - script: What is done on each connection, by its number from 0.
  /// - Throws: ``LoopbackServerError``, or ``TestCertificateError``.
  public init(
    identity: TestIdentity? = nil, applicationProtocol: String? = nil, _ script: @escaping @Sendable (Int) -> [Step]
  ) throws {
    self.script = script
    tls = try identity.map { try TLSServerContext($0, applicationProtocol: applicationProtocol) }
    listener = try LoopbackListener()
    // The listener holds the server until it is stopped.
    listener.accept { [self] in serve($0) }
  }

  /// The address of a path on this server.
  public func url(_ path: String = "/") -> URL {
    URL(string: "\(tls == nil ? "http" : "https")://127.0.0.1:\(port)\(path)") ?? URL(filePath: path)
  }

  /// The requests that were read, in the order in which they were complete.
  public var requests: [RecordedRequest] { state.withLock { $0.requests } }

  /// How many connections there were.
  public var connectionCount: Int { state.withLock { $0.sockets.count } }

  /// How many connections have not ended.
  public var openConnectionCount: Int { state.withLock { $0.sockets.count { $0 != nil } } }

  /// Ends all connections, and listens no more.
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
      // The last reference, so that the descriptor is closed.
      state.withLock { $0.sockets[number] = nil }
    }
  }

  /// How a script, or a part of it, has ended.
  private enum Ending {
    case completed, restart, closed
    /// The connection is of no more use.
    case disconnected
  }

  private func run(_ steps: [Step], on reader: RequestReader, number: Int) {
    var ending = Ending.restart
    while ending == .restart { ending = perform(steps, on: reader, number: number) }
    guard ending != .disconnected else { return }
    reader.socket.shutDownSending()
    // What the client still sends is read, so that it sees an end and no reset.
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
    // In parts, so that nobody who stops waits for it.
    while !isStopped {
      let left = min(end - .now, .milliseconds(50))
      guard left > .zero else { return }
      Thread.sleep(forTimeInterval: left.inSeconds)
    }
  }
}
