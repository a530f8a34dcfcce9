import Foundation
import LarderHTTP
import LarderTesting
import Synchronization

/// A server of HTTP/2 that answers each frame of a request with the frames that a test makes, all of them at once.
final class HTTP2Server: Sendable {
  /// A frame as it came.
  struct Arrival: Sendable {
    var connection: Int
    /// Which request of its connection it is of, from 0.
    var request: Int
    var frame: HTTP2Frame
  }

  private let server: ScriptedServer
  private let log: Log
  let authority: TestCertificateAuthority

  /// - Parameter answer: What is sent for a frame; nil ends the connection.
  init(_ answer: @escaping @Sendable (Arrival) -> [HTTP2Frame]?) throws {
    authority = try TestCertificateAuthority()
    let log = Log()
    self.log = log
    server = try ScriptedServer(identity: authority.identity(), applicationProtocol: "h2") { connection in
      let reader = HTTP2Reader()
      let isBegun = Mutex(false)
      return [
        .respondEach { data in
          var reply = Data()
          if !isBegun.withLock({ isBegun in
            defer { isBegun = true }
            return isBegun
          }) {
            reply += HTTP2Frame(type: HTTP2Frame.settings).bytes
          }
          for frame in reader.frames(adding: data) {
            switch frame.type {
            case HTTP2Frame.settings where frame.flags & HTTP2Frame.acknowledgement == 0:
              reply += HTTP2Frame(type: HTTP2Frame.settings, flags: HTTP2Frame.acknowledgement).bytes
            case HTTP2Frame.headers, HTTP2Frame.data:
              let arrival = Arrival(connection: connection, request: Int(frame.stream) / 2, frame: frame)
              log.arrivals.withLock { $0.append(arrival) }
              guard let frames = answer(arrival) else { return (reply, true) }
              for frame in frames { reply += frame.bytes }
              if !frame.payload.isEmpty, frame.type == HTTP2Frame.data {
                reply += HTTP2Frame.room(UInt32(frame.payload.count), on: 0).bytes
                reply += HTTP2Frame.room(UInt32(frame.payload.count), on: frame.stream).bytes
              }
            default: break
            }
          }
          return (reply, false)
        }
      ]
    }
  }

  private final class Log: Sendable {
    let arrivals = Mutex<[Arrival]>([])
  }

  func stop() { server.stop() }
  var connectionCount: Int { server.connectionCount }
  var openConnectionCount: Int { server.openConnectionCount }
  /// The requests that have begun.
  var requests: [Arrival] { log.arrivals.withLock { $0 }.filter { $0.frame.type == HTTP2Frame.headers } }

  func client(
    clock: TestClock = TestClock(advancesAutomatically: true),
    _ change: (inout HTTPClient.Configuration) -> Void = { _ in }
  ) -> HTTPClient {
    let transport = CurlTransport.direct { $0.trustRoots = .only(pem: authority.certificate) }
    return .ofFaults(server.url(), clock: clock, transport: transport) { configuration in
      configuration.limits = Limits()
      change(&configuration)
    }
  }
}
