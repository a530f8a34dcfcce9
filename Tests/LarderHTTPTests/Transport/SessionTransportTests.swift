import Foundation
import LarderHTTP
import LarderTesting
import Synchronization
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite struct SessionTransportTests {
  private func client(_ url: URL, session: URLSession = URLSession(configuration: .ephemeral)) -> HTTPClient {
    var configuration = HTTPClient.Configuration()
    configuration.retry = .never
    return HTTPClient(baseURL: url, configuration: configuration, transport: URLSessionTransport(session))
  }

  @Test func exchanges() async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    server.route("/list") { request in .json("[\"\(request.headers["x-a"] ?? "")\"]", headers: ["ETag": "\"1\""]) }
    server.route("/echo", method: .post) { request in
      .bytes(request.body, type: request.headers["content-type"] ?? "none", status: 201)
    }
    server.route("/moved") { _ in .text("", status: 302, headers: ["Location": "/list"]) }
    server.route("/no") { _ in .json(#"{"title": "No."}"#, status: 422) }
    let client = client(server.url())
    #expect(try await client.request(Endpoint<[String]>.get("/list").with { $0.headers["X-A"] = "b" }) == ["b"])
    let echo = try await client.response(to: .post("/echo", body: .json(["a": 1])))
    #expect(echo.status == 201 && echo.body == Data(#"{"a":1}"#.utf8))
    #expect(echo.headers["Content-Type"] == "application/json")
    // Followed by the client.
    #expect(try await client.request(Endpoint<[String]>.get("/moved")) == [""])
    let refused = await failure { () async throws(HTTPError) in try await client.response(to: .get("/no")) }
    #expect(refused?.kind == .unacceptableStatus(422) && refused?.problem?.title == "No.")
  }

  @Test func failures() async throws {
    let server = try ScriptedServer { number in
      number == 0
        ? [
          .receiveRequest,
          .send("HTTP/1.1 200 OK\r\nContent-Length: 5000000\r\n\r\n" + String(repeating: " ", count: 200_000)), .stall,
        ] : [.receiveRequest, .stall]
    }
    defer { server.stop() }
    let client = client(server.url())
    let large = await failure { () async throws(HTTPError) in
      try await client.response(to: Endpoint<Void>.get("/x").with { $0.limits = Limits(body: 1_000) })
    }
    #expect(large?.kind == .tooLarge(.body(limit: 1_000)))
    let late = await failure { () async throws(HTTPError) in
      try await client.response(
        to: Endpoint<Void>.get("/x").with { $0.deadlines = Deadlines(total: .milliseconds(500)) })
    }
    #expect(late?.kind == .deadline(.total) && late?.delivery == .maybeSent)
    let task = Task { await failure { () async throws(HTTPError) in try await client.response(to: .get("/x")) } }
    while server.requests.count < 3 { try await Task.sleep(for: .milliseconds(2)) }
    task.cancel()
    #expect(await task.value?.kind == .cancelled)
    let closed = try ClosedPort()
    let nowhere = self.client(closed.url)
    let refused = await failure { () async throws(HTTPError) in try await nowhere.response(to: .get("/x")) }
    #expect(refused?.kind == .notSent(.connectionRefused) && refused?.delivery == .notSent)
  }

  @Test func aStubsSession() async throws {
    let stub = HTTPStub { request in
      request.url?.path == "/v1/list" ? .json(#"["stubbed"]"#) : .text("not here", status: 404)
    }
    let client = client(URL(string: "https://api.example.org/v1")!, session: stub.session)
    #expect(try await client.request(Endpoint<[String]>.get("/list")) == ["stubbed"])
    #expect(stub.requests.map(\.url?.absoluteString) == ["https://api.example.org/v1/list"])
  }

  /// Whatever a session says of the connection: there was an answer, so that it was sent.
  @Test(arguments: [
    URLError.Code.notConnectedToInternet, .cannotFindHost, .secureConnectionFailed, .networkConnectionLost,
  ])
  func aFailureWithinAnAnswer(_ code: URLError.Code) async throws {
    let stub = HTTPStub { _ in
      .interrupted(Data("[1".utf8), type: "application/json", status: 201, error: URLError(code))
    }
    var configuration = HTTPClient.Configuration()
    configuration.dependencies.clock = TestClock(advancesAutomatically: true)
    let client = HTTPClient(
      baseURL: URL(string: "https://h")!, configuration: configuration, transport: URLSessionTransport(stub.session))
    let error = await failure { () async throws(HTTPError) in try await client.response(to: .post("/payments")) }
    #expect(error?.delivery == .responded && error?.status == 201 && error?.attempts == 1)
    guard case .interrupted = error?.kind else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(stub.requests.count == 1)
  }

  /// What a transport says of the request counts, whatever it says of the connection.
  @Test func aTransportThatContradictsItself() async throws {
    let stub = TransportStub { _ throws(HTTPError) in throw HTTPError(.notSent(.unreachable), delivery: .maybeSent) }
    var configuration = HTTPClient.Configuration()
    configuration.dependencies.clock = TestClock(advancesAutomatically: true)
    let client = HTTPClient(baseURL: URL(string: "https://h")!, configuration: configuration, transport: stub)
    _ = await failure { () async throws(HTTPError) in try await client.response(to: .post("/payments")) }
    #expect(stub.requests.count == 1)
    _ = await failure { () async throws(HTTPError) in try await client.response(to: .get("/payments")) }
    #expect(stub.requests.count == 4)
  }

  #if os(Linux)
    /// One address of `localhost` refuses, where it has two, and the other one takes the request and breaks off.
    @Test func whatOneOfTwoAddressesTookMayHaveBeenSent() async throws {
      let server = try ScriptedServer { _ in [.receiveRequest, .close] }
      defer { server.stop() }
      let client = client(try #require(URL(string: "http://localhost:\(server.port)")))
      let error = await failure { () async throws(HTTPError) in try await client.response(to: .post("/x")) }
      #expect(server.requests.count == 1)
      #expect(error?.delivery == .maybeSent)
    }

    /// A server takes a request on a kept connection, and is gone: the session asks once more, and is refused.
    @Test func whatAKeptConnectionTookMayHaveBeenSent() async throws {
      let known = Mutex<ScriptedServer?>(nil)
      let server = try ScriptedServer { _ in
        [
          .receiveRequest, .send(Wire.json("[]")), .receiveRequest,
          .respond { _ in
            known.withLock { $0 }?.stop()
            return [.close]
          },
        ]
      }
      defer { server.stop() }
      known.withLock { $0 = server }
      let client = client(server.url())
      _ = try await client.response(to: .get("/x"))
      let error = await failure { () async throws(HTTPError) in try await client.response(to: .post("/x")) }
      #expect(server.requests.map(\.method) == ["GET", "POST"])
      #expect(error?.delivery == .maybeSent)
      known.withLock { $0 = nil }
    }

    /// What libcurl says has failed counts, and not the code, which is of the last connection that was refused.
    @Test(
      arguments: [
        (nil, .notSent(.connectionRefused)),
        ("Failed to connect to h port 443 after 1 ms: no", .notSent(.connectionRefused)),
        ("Empty reply from server", .maybeSent(.closed)),
        ("Recv failure: Connection reset by peer", .maybeSent(.closed)),
        ("SSL_write() returned SYSCALL, errno = 32: Broken pipe", .maybeSent(.closed)),
        ("Could not resolve host: h", .maybeSent(.other(code: URLError.Code.cannotConnectToHost.rawValue))),
        ("", .maybeSent(.other(code: URLError.Code.cannotConnectToHost.rawValue))),
      ] as [(String?, HTTPError.Kind)]) func theWordsOfARefusal(_ words: String?, _ kind: HTTPError.Kind) async throws
    {
      let stub = HTTPStub { _ in
        throw URLError(.cannotConnectToHost, userInfo: words.map { [NSLocalizedDescriptionKey: $0] } ?? [:])
      }
      let client = client(URL(string: "https://h")!, session: stub.session)
      let error = await failure { () async throws(HTTPError) in try await client.response(to: .post("/x")) }
      #expect(error?.kind == kind)
      if case .notSent = kind {
        #expect(error?.delivery == .notSent)
      } else {
        #expect(error?.delivery == .maybeSent)
      }
    }

    /// The name may have no address any more when the session asks for the second time, on a connection of its own.
    @Test(
      arguments: [
        ("Could not resolve host: h", true, .maybeSent(.nameNotResolved)),
        ("Could not resolve host: h", false, .notSent(.nameNotResolved)), (nil, true, .notSent(.nameNotResolved)),
      ] as [(String?, Bool, HTTPError.Kind)])
    func aNameThatIsNotFoundAnyMore(_ words: String?, _ isAnswered: Bool, _ kind: HTTPError.Kind) async throws {
      let stub = HTTPStub { request in
        if request.httpMethod == "GET" { return .json("[]") }
        throw URLError(.cannotFindHost, userInfo: words.map { [NSLocalizedDescriptionKey: $0] } ?? [:])
      }
      let client = client(URL(string: "https://h")!, session: stub.session)
      if isAnswered { _ = try await client.response(to: .get("/x")) }
      let error = await failure { () async throws(HTTPError) in try await client.response(to: .post("/x")) }
      #expect(error?.kind == kind)
      let delivery: HTTPError.Delivery = kind == .notSent(.nameNotResolved) ? .notSent : .maybeSent
      #expect(error?.delivery == delivery)
    }

    /// Two requests at once may share a connection by HTTP/2, before anything is answered on it.
    @Test(
      arguments: [("https", .maybeSent(.connectionRefused)), ("http", .notSent(.connectionRefused))]
        as [(String, HTTPError.Kind)])
    func whatIsUnderWayBesideAnother(_ scheme: String, _ kind: HTTPError.Kind) async throws {
      let begun = Gate()
      let stub = HTTPStub { request in
        if request.httpMethod == "GET" {
          begun.open()
          return .never
        }
        throw URLError(.cannotConnectToHost, userInfo: [NSLocalizedDescriptionKey: "Failed to connect to h port 443"])
      }
      let client = client(try #require(URL(string: scheme + "://h")), session: stub.session)
      let first = Task { await failure { () async throws(HTTPError) in try await client.response(to: .get("/x")) } }
      await begun.wait()
      let error = await failure { () async throws(HTTPError) in try await client.response(to: .post("/x")) }
      #expect(error?.kind == kind)
      first.cancel()
      #expect(await first.value?.kind == .cancelled)
    }
  #endif

  /// A body that nobody makes holds nobody up, and nothing was sent.
  @Test func aBodyThatIsLongInComing() async throws {
    let server = try ScriptedServer { _ in [.receiveRequest, .stall] }
    let ending = Gate()
    defer {
      ending.open()
      server.stop()
    }
    let client = client(server.url())
    // It does not hear that it is cancelled, either.
    @Sendable func put(_ begun: Gate, within total: Duration? = nil) async -> HTTPError? {
      let body = RequestBody.stream(type: "x/y") {
        AsyncStream<Data>(unfolding: {
          begun.open()
          await ending.wait()
          return nil
        })
      }
      return await failure { () async throws(HTTPError) in
        try await client.request(
          Endpoint<Void>.put("/x", body: body).with { $0.deadlines = Deadlines(total: total) })
      }
    }
    let late = await put(Gate(), within: .milliseconds(20))
    #expect(late?.kind == .deadline(.total) && late?.delivery == .notSent)
    let begun = Gate()
    let task = Task { await put(begun) }
    await begun.wait()
    task.cancel()
    #expect(await task.value?.kind == .cancelled)
    #expect(await task.value?.delivery == .notSent)
    #expect(server.connectionCount == 0)
  }

  /// A body that nobody wants any more is not read to its end, though it does not hear of that itself.
  @Test(.timeLimit(.minutes(10)), arguments: [true, false]) func aBodyThatIsNotWantedAnyMore(isCancelled: Bool) async {
    let stub = HTTPStub { _ in .json("[]") }
    let client = client(URL(string: "https://h")!, session: stub.session)
    let (begun, goingOn, letGo) = (Gate(), Gate(), Gate())
    let count = Mutex(0)
    let body = RequestBody.stream(type: "x/y") { () -> EndlessParts in
      let held = OpeningAtTheEnd(letGo)
      return EndlessParts {
        withExtendedLifetime(held) {}
        count.withLock { $0 += 1 }
        begun.open()
        await goingOn.wait()
        return Data("abc".utf8)
      }
    }
    let total: Duration? = isCancelled ? nil : .milliseconds(50)
    let task = Task {
      await failure { () async throws(HTTPError) in
        try await client.request(
          Endpoint<Void>.put("/x", body: body).with { $0.deadlines = Deadlines(total: total) })
      }
    }
    if isCancelled {
      await begun.wait()
      task.cancel()
    }
    let error = await task.value
    let expected: HTTPError.Kind = isCancelled ? .cancelled : .deadline(.total)
    #expect(error?.kind == expected && error?.delivery == .notSent)
    goingOn.open()
    // The deadline may have passed before any of it was asked for.
    if begun.isOpen { await letGo.wait() }
    let asked = count.withLock { $0 }
    #expect(asked <= 1)
    #expect(stub.requests.isEmpty)
  }

  /// The session's transport reads the whole body before anything is sent, so that "not sent" does not mean "not begun".
  @Test func aBodyThatWasUsedUpIsNotSentAgain() async throws {
    let closed = try ClosedPort()
    var configuration = HTTPClient.Configuration()
    configuration.dependencies.clock = TestClock(advancesAutomatically: true)
    let client = HTTPClient(
      baseURL: closed.url, configuration: configuration,
      transport: URLSessionTransport(URLSession(configuration: .ephemeral)))
    for isReplayable in [false, true] {
      let count = Mutex(0)
      let body = RequestBody.stream(type: "x/y", isReplayable: isReplayable) {
        count.withLock { $0 += 1 }
        return AsyncStream<Data> { continuation in
          continuation.yield(Data("abc".utf8))
          continuation.finish()
        }
      }
      let error = await failure { () async throws(HTTPError) in
        try await client.request(Endpoint<Void>.put("/x", body: body))
      }
      #expect(error?.kind == .notSent(.connectionRefused))
      #expect(error?.attempts == (isReplayable ? 3 : 1))
      #expect(count.withLock { $0 } == (isReplayable ? 3 : 1))
    }
  }
}

/// A body's parts without an end.
private struct EndlessParts: AsyncSequence, AsyncIteratorProtocol {
  typealias Element = Data

  let part: @Sendable () async -> Data

  func makeAsyncIterator() -> EndlessParts { self }

  func next() async -> Data? { await part() }
}

/// Opens a gate when nobody holds it any more.
private final class OpeningAtTheEnd: Sendable {
  private let gate: Gate

  init(_ gate: Gate) { self.gate = gate }

  deinit { gate.open() }
}
