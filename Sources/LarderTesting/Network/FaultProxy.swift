public import Foundation
internal import Synchronization

/// A relay on 127.0.0.1 in front of a server, which fails a connection at a byte that a test chooses.
///
/// ```swift
/// let proxy = try FaultProxy(to: server.port) { connection in
///   connection == 0 ? .init(.close, at: 40, .toClient) : nil
/// }
/// defer { proxy.stop() }
/// let client = HTTPClient(baseURL: proxy.url())
/// ```
///
/// The relay does not interpret the bytes: they may be HTTP, TLS, or any other protocol over TCP.
public final class FaultProxy: Sendable {
  /// The fault of a connection.
  public struct Fault: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
      /// Closes both sides.
      case close
      /// Resets both sides.
      case reset
      /// Relays no more bytes, and leaves the connection open.
      case stall
      /// Relays further bytes in portions, with pauses between them.
      case drip(portion: Int, pause: Duration)
    }

    public enum Direction: Sendable, Hashable, CaseIterable {
      case toServer, toClient
    }

    public var kind: Kind
    /// The number of bytes that are relayed before the fault.
    public var offset: Int
    public var direction: Direction

    /// Creates a fault.
    ///
    /// - Parameters:
    ///   - kind: The kind of fault.
    ///   - offset: The number of bytes that are relayed before the fault.
    ///   - direction: The direction in which the bytes are counted.
    public init(_ kind: Kind, at offset: Int, _ direction: Direction) {
      self.kind = kind
      self.offset = max(0, offset)
      self.direction = direction
    }
  }

  /// The port on which the relay listens.
  public var port: UInt16 { listener.port }
  private let listener: LoopbackListener
  private let server: UInt16
  private let fault: @Sendable (Int) -> Fault?
  private let state = Mutex(State())

  private struct State {
    var isStopped = false
    var count = 0
    var sockets: [Int: [RawSocket]] = [:]
  }

  /// Starts a relay.
  ///
  /// - Parameters:
  ///   - server: The port of the server behind the relay.
  ///   - port: The port on which the relay listens: for example that of a stopped relay, to replace it; 0 for any free port.
  ///   - fault: A closure that receives the number of a connection, from 0, and returns its fault or `nil`.
  /// - Throws: ``LoopbackServerError`` if the port is not available.
  public init(
    to server: UInt16, port: UInt16 = 0, fault: @escaping @Sendable (Int) -> Fault?
  ) throws(LoopbackServerError) {
    self.server = server
    self.fault = fault
    listener = try LoopbackListener(port: port)
    // The listener holds the relay until it is stopped.
    listener.accept { [self] in relayConnection($0) }
  }

  /// Returns faults that follow from a seed, the same for each run.
  ///
  /// - Parameters:
  ///   - seed: The seed, which determines all faults.
  ///   - share: The share of connections with a fault, from 0 to 1.
  ///   - range: The range of byte offsets at which faults occur.
  public static func faults(seed: UInt64, share: Double, within range: Range<Int>) -> @Sendable (Int) -> Fault? {
    { connection in
      var random = SeededRandom(seed: seed &+ UInt64(connection) &* 0x9E37_79B9_7F4A_7C15)
      guard Double.random(in: 0..<1, using: &random) < share, !range.isEmpty else { return nil }
      let kinds: [Fault.Kind] = [.close, .reset, .stall, .drip(portion: 1, pause: .milliseconds(1))]
      return Fault(
        kinds[Int.random(in: 0..<kinds.count, using: &random)], at: Int.random(in: range, using: &random),
        Bool.random(using: &random) ? .toServer : .toClient)
    }
  }

  /// Returns the URL of a path at this relay.
  public func url(_ path: String = "/", scheme: String = "http") -> URL {
    URL(string: "\(scheme)://127.0.0.1:\(port)\(path)") ?? URL(filePath: path)
  }

  /// The number of connections so far.
  public var connectionCount: Int { state.withLock { $0.count } }

  /// Ends all connections, and stops listening.
  public func stop() {
    let sockets = state.withLock { state in
      state.isStopped = true
      listener.stop()
      return state.sockets.values.flatMap { $0 }
    }
    for socket in sockets { socket.shutDown() }
  }

  private var isStopped: Bool { state.withLock { $0.isStopped } }

  private func relayConnection(_ client: RawSocket) {
    guard let upstream = RawSocket.openConnection(to: server, until: { isStopped }) else { return }
    let number = state.withLock { state in
      state.count += 1
      state.sockets[state.count - 1] = [client, upstream]
      return state.isStopped ? nil : state.count - 1
    }
    guard let number else { return }
    let fault = fault(number)
    let both = EndCounter()
    for direction in Fault.Direction.allCases {
      let (from, to) = direction == .toServer ? (client, upstream) : (upstream, client)
      Thread.detachNewThread { [self] in
        relay(from, to, fault: fault?.direction == direction ? fault : nil)
        if both.countEnd() { state.withLock { $0.sockets[number] = nil } }
      }
    }
  }

  /// A counter of directions that have ended.
  private final class EndCounter: Sendable {
    private let count = Mutex(0)
    func countEnd() -> Bool {
      count.withLock { count in
        count += 1
        return count == Fault.Direction.allCases.count
      }
    }
  }

  private func relay(_ from: RawSocket, _ to: RawSocket, fault: Fault?) {
    var left = fault?.offset ?? .max
    while let data = from.receive() {
      guard left < data.count, let fault else {
        left -= fault == nil ? 0 : data.count
        guard to.send(data) else { break }
        continue
      }
      to.send(Data(data.prefix(left)))
      let rest = data.dropFirst(left)
      switch fault.kind {
      case .close:
        from.shutDown()
        to.shutDown()
        return
      case .reset:
        // The other direction's thread releases the sockets too, which closes them.
        from.resetOnClose()
        to.resetOnClose()
        from.shutDown()
        to.shutDown()
        return
      case .stall:
        while !isStopped, !from.peerCloses(within: 50), !to.peerCloses(within: 50) {}
        from.shutDown()
        to.shutDown()
        return
      case .drip(let portion, let pause):
        drip(Data(rest), to, portion: portion, pause: pause)
        while let more = from.receive() { drip(more, to, portion: portion, pause: pause) }
      }
    }
    to.shutDownSending()
  }

  private func drip(_ data: Data, _ to: RawSocket, portion: Int, pause: Duration) {
    var rest = data[...]
    while !rest.isEmpty, !isStopped {
      guard to.send(Data(rest.prefix(max(1, portion)))) else { return }
      rest = rest.dropFirst(max(1, portion))
      let (seconds, attoseconds) = pause.components
      Thread.sleep(forTimeInterval: Double(seconds) + Double(attoseconds) / 1e18)
    }
  }
}

/// SplitMix64: small, and with the same results on every platform.
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }
}
