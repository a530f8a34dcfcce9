import Foundation
import LarderHTTP
import LarderTesting
import Testing

/// Connections that are kept for the next request, and whose servers have other plans.
@Suite(.timeLimit(.minutes(1))) struct KeptConnectionTests {
  private let authority: TestCertificateAuthority

  init() throws { authority = try TestCertificateAuthority() }

  /// What a server does with a connection that is kept.
  enum End: CaseIterable, Sendable {
    case closed, reset, timeoutAnswer

    var steps: [ScriptedServer.Step] {
      switch self {
      case .closed: [.close]
      case .reset: [.reset]
      // As servers do that time a connection out; it stays open.
      case .timeoutAnswer: [.send("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n"), .stall]
      }
    }
  }

  private func client(_ server: ScriptedServer) -> HTTPClient {
    let transport = CurlTransport.direct { $0.trustRoots = .only(pem: authority.certificate) }
    return .ofFaults(server.url(), clock: TestClock(advancesAutomatically: true), transport: transport)
  }

  /// A connection that has ended while it was kept is left at once, and the next request goes over another.
  @Test(arguments: [true, false], End.allCases)
  func aConnectionThatHasEndedIsNotUsedAgain(_ isSecure: Bool, _ end: End) async throws {
    let server = try ScriptedServer(identity: isSecure ? authority.identity() : nil) { _ in
      [.receiveRequest, .send(Wire.json("[]"))] + end.steps
    }
    defer { server.stop() }
    let client = client(server)
    for number in 1...4 {
      _ = try await client.response(to: Endpoint<Void>.post("/orders", body: .text("order \(number)")))
      // The client closes it without having been asked anything.
      while server.openConnectionCount > 0 { try await Task.sleep(for: .milliseconds(1)) }
      #expect(server.connectionCount == number && server.requests.count == number)
    }
  }

  /// The same of HTTP/2, where a server may say something before it ends.
  @Test(arguments: [true, false])
  func aConnectionOfHTTP2ThatHasEnded(_ isAnnounced: Bool) async throws {
    let server = try ScriptedServer(identity: authority.identity(), applicationProtocol: "h2") { _ in
      let reader = HTTP2Reader()
      let answer: @Sendable (Data) -> (reply: Data, isLast: Bool) = { data in
        var reply = Data()
        for frame in reader.frames(adding: data) {
          if frame.type == HTTP2Frame.settings, frame.flags & HTTP2Frame.acknowledgement == 0 {
            reply += HTTP2Frame(type: HTTP2Frame.settings).bytes
          }
          // The client has read all that was sent.
          if frame.type == HTTP2Frame.ping { return (reply, true) }
          guard frame.endsStream else { continue }
          for frame in HTTP2Frame.head(200, frame.stream, isEnd: true) { reply += frame.bytes }
          if isAnnounced { reply += HTTP2Frame.goAway(last: frame.stream).bytes }
          reply += HTTP2Frame(type: HTTP2Frame.ping, payload: Data(count: 8)).bytes
        }
        return (reply, false)
      }
      return [.respondEach(answer)]
    }
    defer { server.stop() }
    let client = client(server)
    for number in 1...4 {
      let response = try await client.response(to: Endpoint<Void>.post("/orders", body: .text("order \(number)")))
      #expect(response.metrics.version == "2")
      while server.openConnectionCount > 0 { try await Task.sleep(for: .milliseconds(1)) }
      #expect(server.connectionCount == number)
    }
  }

  /// A body of any size is begun anew with the request where the server has closed the connection unseen, without an attempt
  /// or a wait; what must not be sent twice is not.
  @Test(arguments: [100, 8 << 10, 20_000, 1_000_000], [HTTPMethod.put, .post])
  func aBodyOfAConnectionThatIsClosed(_ size: Int, _ method: HTTPMethod) async throws {
    for isFile in [true, false] {
      let server = try ScriptedServer { number in
        [.receiveRequest, .send(Wire.json("[]"))] + (number == 0 ? [.receiveHead, .close] : [.restart])
      }
      defer { server.stop() }
      let clock = TestClock(advancesAutomatically: true)
      let client = HTTPClient.ofFaults(server.url(), clock: clock)
      _ = try await client.response(to: .get("/first"))
      let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      try Data(count: size).write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      let body: RequestBody = isFile ? .file(file) : .data(Data(count: size))
      let endpoint = Endpoint<Void>(method, "/orders", body: body)
      if method == .put {
        #expect(try await client.response(to: endpoint).metrics.attempts == 2)
        #expect(server.requests.last?.body.count == size)
      } else {
        let error = await failure { () async throws(HTTPError) in try await client.response(to: endpoint) }
        #expect(error?.kind == .maybeSent(.closedWhileIdle) && error?.attempts == 1)
      }
      #expect(clock.sleeps.isEmpty)
    }
  }
}
