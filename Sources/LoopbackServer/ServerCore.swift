import CLoopbackServer
import CMicroHTTPD
import Foundation
import Synchronization

/// The part of a server that libmicrohttpd's threads access. It outlives them: ``stop()`` returns after they have ended.
final class ServerCore: Sendable {
  /// The maximum number of connections, far more than a test or a browser opens; each needs a thread.
  static let connectionLimit: UInt32 = 256
  /// The time after which a silent kept-alive connection releases its thread.
  static let idleSeconds: UInt32 = 60
  /// The default length of the longest body that is passed to a handler: requests come from tests and examples.
  static let bodyLimit = 16 << 20

  let port: UInt16
  let routes = Mutex(Routes())
  let counts = Mutex(RequestCounts())
  /// The length of the longest body that is passed to a handler.
  fileprivate let maximumBodySize: Int
  private let recorded: Mutex<RecordedRequests>?
  let stopping: Signal
  /// The open streams.
  let streams = Mutex<[ObjectIdentifier: LoopbackServer.StreamWriter]>([:])
  /// The longest time in seconds that a stop waits for finished streams to be sent: the wait takes long only on an overloaded
  /// machine.
  private static let drainTimeout = 5.0
  private let daemon = Mutex<Daemon?>(nil)

  /// The pointer crosses threads: libmicrohttpd allows any thread but its own to stop its daemon.
  private struct Daemon: @unchecked Sendable {
    let pointer: OpaquePointer
  }

  init(
    port: UInt16, certificate: LoopbackServer.Certificate?, recordsRequests: Bool, bodyLimit: Int = ServerCore.bodyLimit
  ) throws(LoopbackServerError) {
    maximumBodySize = bodyLimit
    recorded = recordsRequests ? Mutex(RecordedRequests()) : nil
    stopping = try Signal()
    var chosen: UInt16 = 0
    let socket = clb_listen(port, &chosen)
    switch -socket {
    case EADDRINUSE: throw .portInUse(port)
    case EACCES: throw .portNotPermitted(port)
    case let error where error > 0: throw .system(errno: error)
    default: self.port = chosen
    }
    // Unretained: the server owns the core, and stop() ends every thread that uses the pointer.
    let context = Unmanaged.passUnretained(self).toOpaque()
    func start(_ certificate: UnsafePointer<CChar>?, _ key: UnsafePointer<CChar>?) -> OpaquePointer? {
      clb_start(
        socket, Self.connectionLimit, Self.idleSeconds, certificate, key,
        beginRequest(context:uri:connection:), handleRequest(context:connection:url:method:version:data:size:state:),
        completeRequest(context:connection:state:reason:), context)
    }
    let started =
      if let certificate {
        certificate.pem.withCString { pem in certificate.key.withCString { key in start(pem, key) } }
      } else { start(nil, nil) }
    guard let started else { throw .notStarted }
    daemon.withLock { $0 = Daemon(pointer: started) }
  }

  func record(_ request: LoopbackServer.Request) { recorded?.withLock { $0.add(request) } }
  var requests: [LoopbackServer.Request] { recorded?.withLock { $0.all } ?? [] }

  func stop() {
    // Removed first: a concurrent second call has nothing to stop.
    let running = daemon.withLock { daemon in
      defer { daemon = nil }
      return daemon
    }
    guard let running else { return }
    drainStreams()
    stopping.raise()
    MHD_stop_daemon(running.pointer)
  }

  /// Waits for finished streams to be sent, since libmicrohttpd truncates pending responses when it stops.
  private func drainStreams() {
    let end = ContinuousClock.now + .seconds(Self.drainTimeout)
    while streams.withLock({ $0.values.contains(where: \.isFinishing) }), ContinuousClock.now < end { usleep(500) }
  }

  /// Returns the response to a request, including error responses.
  func response(to request: LoopbackServer.Request) -> LoopbackServer.Response {
    switch routes.withLock({ $0.match(request.method, request.path) }) {
    case .handler(let handler):
      do {
        return try handler(request)
      } catch {
        return .text("The handler of \(request.path) failed: \(error)\n", status: 500)
      }
    case .otherMethods(let methods):
      let allowed = methods.map(\.rawValue).joined(separator: ", ")
      return .text("\(request.path) answers \(allowed) only.\n", status: 405, headers: ["Allow": allowed])
    case .none:
      return .text("Nothing is at \(request.path).\n", status: 404)
    }
  }
}

/// A request that is arriving.
private final class IncomingRequest {
  let target: String
  var hasHeader = false
  var body = Data()
  var isTooLarge = false

  init(target: String) { self.target = target }
}

/// Begins a request, after its request line has arrived. libmicrohttpd later decodes the path in place. The returned pointer is the
/// state of the following calls.
private func beginRequest(
  context: UnsafeMutableRawPointer?, uri: UnsafePointer<CChar>?, connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
  // Balanced in `complete`.
  Unmanaged.passRetained(IncomingRequest(target: uri.map { String(cString: $0) } ?? "")).toOpaque()
}

private func handleRequest(
  context: UnsafeMutableRawPointer?, connection: OpaquePointer?, url: UnsafePointer<CChar>?,
  method: UnsafePointer<CChar>?, version: UnsafePointer<CChar>?, data: UnsafePointer<CChar>?,
  size: UnsafeMutablePointer<Int>?, state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
  guard let context, let connection, let url, let method, let size, let known = state?.pointee else { return .NO }
  let core = Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()

  // libmicrohttpd calls once for the header, once for each part of the body, and once at its end.
  let arriving = Unmanaged<IncomingRequest>.fromOpaque(known).takeUnretainedValue()
  guard arriving.hasHeader else {
    arriving.hasHeader = true
    return .YES
  }
  if size.pointee > 0 {
    if arriving.isTooLarge || arriving.body.count + size.pointee > core.maximumBodySize {
      arriving.isTooLarge = true
      // The body is too long and will be rejected, so its bytes are not kept.
      arriving.body = Data()
    } else if let data {
      arriving.body.append(Data(bytes: data, count: size.pointee))
    }
    size.pointee = 0
    return .YES
  }

  let path = String(cString: url)
  core.counts.withLock { $0.add(path) }
  let sender = ResponseSender(core: core, connection: connection)
  guard !arriving.isTooLarge else {
    return sender.send(.text("A body may have \(core.maximumBodySize) bytes at most.\n", status: 413))
  }
  guard let method = LoopbackServer.Method(rawValue: String(cString: method)) else {
    return sender.send(.text("This method is not known here.\n", status: 501))
  }
  let fields = values(of: connection, kind: .HEADER_KIND).map { ($0.lowercased(), $1 ?? "") }
  // RFC 9112, section 3.2: with two names, different recipients could use different ones.
  guard fields.count(where: { $0.0 == "host" }) < 2 else {
    return sender.send(.text("A request is for one host.\n", status: 400))
  }
  let request = LoopbackServer.Request(
    method: method, target: arriving.target, path: path,
    queryItems: values(of: connection, kind: .GET_ARGUMENT_KIND).map { URLQueryItem(name: $0, value: $1) },
    headers: Dictionary(fields) { _, last in last }, body: arriving.body)
  core.record(request)
  return sender.send(core.response(to: request))
}

private func completeRequest(
  context: UnsafeMutableRawPointer?, connection: OpaquePointer?,
  state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, reason: MHD_RequestTerminationCode
) {
  guard let state, let known = state.pointee else { return }
  Unmanaged<IncomingRequest>.fromOpaque(known).release()
  state.pointee = nil
}

private final class ValueCollector {
  var values: [(String, String?)] = []
}

private func values(of connection: OpaquePointer, kind: MHD_ValueKind) -> [(String, String?)] {
  let pairs = ValueCollector()
  _ = MHD_get_connection_values(
    connection, kind,
    { context, _, key, value in
      guard let context, let key else { return .YES }
      let pairs = Unmanaged<ValueCollector>.fromOpaque(context).takeUnretainedValue()
      pairs.values.append((String(cString: key), value.map { String(cString: $0) }))
      return .YES
    }, Unmanaged.passUnretained(pairs).toOpaque())
  return pairs.values
}
