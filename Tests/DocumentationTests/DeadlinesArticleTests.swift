import Foundation
import Larder
import LarderTesting
import Synchronization
import Testing

/// The steps of DeadlinesAndLimits.md, each run.
@Suite struct DeadlinesArticleTests {
  private let api = URL(string: "https://api.example")!

  private func configured(_ change: (inout HTTPClient.Configuration) -> Void = { _ in }) -> HTTPClient.Configuration {
    var configuration = HTTPClient.Configuration()
    configuration.dependencies = HTTPDependencies(clock: TestClock(advancesAutomatically: true), random: { 0.5 })
    change(&configuration)
    return configuration
  }

  private func client(
    _ configuration: HTTPClient.Configuration? = nil, _ handler: @escaping TransportStub.Handler
  ) -> (HTTPClient, TransportStub) {
    let stub = TransportStub(handler)
    return (HTTPClient(baseURL: api, configuration: configuration ?? configured(), transport: stub), stub)
  }

  // MARK: - Deadlines and limits

  @Test func deadlinesAreSet() throws {
    // snippet: deadlines
    var configuration = HTTPClient.Configuration()
    configuration.deadlines = Deadlines(connect: .seconds(5), total: .seconds(60))
    configuration.limits.body = 8 << 20

    let report = Endpoint<Payment>.get("/v1/report").with { report in
      report.deadlines = Deadlines(firstByte: .seconds(180), total: nil)
    }
    // snippet end
    let client = HTTPClient(baseURL: api, configuration: configuration, transport: TransportStub { _ in .json("{}") })
    let plain = try client.makeRequest(Endpoint<Payment>.get("/v1/report"))
    #expect(plain.deadlines.connect == .seconds(5) && plain.deadlines.idle == Deadlines.defaultIdle)
    // An endpoint's own are instead of the client's, all four of them.
    let own = try client.makeRequest(report)
    #expect(own.deadlines.connect == Deadlines.defaultConnect && own.deadlines.firstByte == .seconds(180))
    #expect(own.deadlines.total == nil && own.limits.body == 8 << 20)
  }

  @Test func eachPhaseHasItsOwn() async throws {
    let server = try ScriptedServer { _ in
      [
        .receiveRequest,
        .respond {
          $0.target == "/silent" ? [.stall] : [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), .stall]
        },
      ]
    }
    defer { server.stop() }
    let short = Duration.milliseconds(50)
    func missed(_ path: EndpointPath, _ deadlines: Deadlines) async -> HTTPError? {
      let client = localClient(server.url()) { $0.retry = .never }
      let endpoint = Endpoint<Void>.get(path).with { $0.deadlines = deadlines }
      return await #expect(throws: HTTPError.self) { try await client.response(to: endpoint) }
    }
    let firstByte = await missed("/silent", Deadlines(firstByte: short))
    #expect(firstByte?.kind == .deadline(.firstByte) && firstByte?.delivery == .maybeSent)
    let idle = await missed("/half", Deadlines(idle: short))
    #expect(idle?.kind == .deadline(.idle) && idle?.delivery == .responded)
    let total = await missed("/half", Deadlines(total: short))
    #expect(total?.kind == .deadline(.total) && total?.delivery == .responded)
  }

  /// A wait that would pass the total is not begun.
  @Test func whatCannotBeWaitedForIsThrownAtOnce() async throws {
    let clock = TestClock(advancesAutomatically: true)
    func failure(_ answer: TransportStub.Response, total: Duration, base: Duration = .milliseconds(500)) async
      -> HTTPError?
    {
      let (client, _) = client(
        configured { configuration in
          configuration.dependencies.clock = clock
          configuration.deadlines.total = total
          configuration.retry = RetryPolicy(base: base, cap: .seconds(60))
        }
      ) { _ in answer }
      return await #expect(throws: HTTPError.self) { try await client.request(.payments(limit: 20)) }
    }
    // Half of 20 s is drawn.
    let drawn = await failure(.status(503), total: .seconds(10), base: .seconds(20))
    #expect(drawn?.kind == .unacceptableStatus(503) && drawn?.attempts == 1)
    let asked = await failure(.status(503, headers: ["Retry-After": "10"]), total: .seconds(10))
    #expect(asked?.status == 503 && asked?.attempts == 1)
    #expect(clock.sleeps.isEmpty)
    let begun = await failure(.status(503), total: .seconds(11), base: .seconds(20))
    #expect(begun?.kind == .unacceptableStatus(503) && begun?.attempts == 2)
    #expect(clock.sleeps == [.seconds(10)])
  }

  @Test func limitsAreKept() async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    server.route("/a") { _ in .text(String(repeating: "x", count: 1_000)) }
    let client = localClient(server.url()) { $0.limits.body = 999 }
    let error = await #expect(throws: HTTPError.self) { try await client.response(to: .get("/a")) }
    #expect(error?.kind == .tooLarge(.body(limit: 999)) && error?.attempts == 1 && error?.delivery == .responded)
    // What nobody holds in memory may be of any size.
    #expect(try await client.stream(.get("/a")).body.collect().count == 1_000)
    let limited = Endpoint<Void>.get("/a").with { $0.limits = Limits(body: 999) }
    await #expect(throws: HTTPError.self) { try await client.stream(limited).body.collect() }
  }

  // MARK: - Bodies

  @Test func streamsAreRead() async throws {
    let (client, stub) = client { _ in .text("a\nb\n") }
    // snippet: stream
    let response = try await client.stream(.get("/v1/export", headers: ["Accept": "application/x-ndjson"]))
    var lines = 0
    for try await piece in response.body { lines += piece.count { $0 == UInt8(ascii: "\n") } }
    // snippet end
    #expect(lines == 2)
    #expect(stub.requests.first?.deadlines.total == nil && stub.requests.first?.limits.body == .max)
    #expect(stub.requests.first?.deadlines.idle == Deadlines.defaultIdle)
  }

  @Test func filesAreDownloaded() async throws {
    let temporary = try TemporaryFolder()
    let folder = temporary.url.appending(path: "exports", directoryHint: .isDirectory)
    let told = Mutex<[String]>([])
    @Sendable func print(_ line: String) { told.withLock { $0.append(line) } }
    let server = try LoopbackServer()
    defer { server.stop() }
    server.route("/v1/export") { _ in .text("a,b\n", type: "text/csv") }
    let client = localClient(server.url())
    // snippet: download
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "export.csv")
    try await client.download(.get("/v1/export", headers: ["Accept": "text/csv"]), to: file) { progress in
      print("\(progress.bytes) of \(progress.total ?? 0) bytes")
    }
    // snippet end
    #expect(try String(contentsOf: file, encoding: .utf8) == "a,b\n" && told.withLock { $0 } == ["4 of 4 bytes"])
  }

  /// Nobody is asked for what cannot be kept.
  @Test func aFolderThatIsNotThere() async throws {
    let temporary = try TemporaryFolder()
    let (client, stub) = client { _ in .json("[]") }
    let error = await #expect(throws: HTTPError.self) {
      try await client.download(.get("/v1/export"), to: temporary.url.appending(path: "none/export.json"))
    }
    #expect(error?.kind == .file(errno: ENOENT) && error?.delivery == .notSent && stub.requests.isEmpty)
    try await client.download(.get("/v1/export"), to: temporary.file("export.json"))
    #expect(stub.requests.map(\.deadlines.total) == [nil])
  }

  @Test func whatFailsLeavesTheFormerFile() async throws {
    let temporary = try TemporaryFolder()
    let file = temporary.file("export.json")
    try Data("former".utf8).write(to: file)
    let server = try LoopbackServer()
    defer { server.stop() }
    server.route("/v1/export") { _ in .truncated(Data("[".utf8), declaring: 9, type: "application/json") }
    let bytes = Mutex<[Int64]>([])
    let error = await #expect(throws: HTTPError.self) {
      try await localClient(server.url()).download(.get("/v1/export"), to: file) { progress in
        bytes.withLock { $0.append(progress.bytes) }
      }
    }
    // Each attempt begins anew.
    #expect(error?.attempts == 3 && error?.delivery == .responded && bytes.withLock { $0 } == [1, 1, 1])
    #expect(try String(contentsOf: file, encoding: .utf8) == "former")
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.url.path()) == ["export.json"])
  }

  @Test func filesAreUploaded() async throws {
    let temporary = try TemporaryFolder()
    let scan = temporary.file("scan.png")
    try Data(count: 100_000).write(to: scan)
    let server = try LoopbackServer()
    defer { server.stop() }
    server.route("/v1/payments/7/receipt", method: .put) { request in
      .json(#"{"id": "7", "amount": "\#(request.body.count)"}"#)
    }
    let client = localClient(server.url())
    // snippet: upload
    let endpoint = Endpoint<Payment>.put("/v1/payments/\("7")/receipt", body: .file(scan, type: "image/png"))
    let payment = try await client.upload(endpoint) { progress in
      print("\(progress.bytes) of \(progress.total ?? 0) bytes")
    }
    // snippet end
    #expect(payment.amount == "100000")
    let (stubbed, stub) = self.client { _ in .json(#"{"id": "7", "amount": "1"}"#) }
    _ = try await stubbed.upload(endpoint) { _ in }
    #expect(stub.requests.first?.deadlines.total == nil && stub.requests.first?.limits == Limits())
  }

  // MARK: - Cancellation

  private func outcome(of task: Task<Void, any Error>) async -> HTTPError? {
    task.cancel()
    do { try await task.value } catch { return error as? HTTPError }
    return nil
  }

  @Test func aRequestIsGivenUp() async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    server.route("/v1/payments", method: .post) { _ in .hang }
    let client = localClient(server.url())
    let draft = PaymentDraft(amount: "12.00")
    let told = Mutex<[String]>([])
    @Sendable func show(_ text: String) { told.withLock { $0.append(text) } }
    // snippet: cancelling
    let paying = Task {
      do throws(HTTPError) {
        let payment = try await client.request(draft.endpoint)
        show("Paid: \(payment.id)")
      } catch {
        switch (error.kind, error.delivery) {
        case (.cancelled, .notSent): show("Nothing was paid.")
        case (.cancelled, _): show("It may have been paid.")
        default: show(error.advice)
        }
      }
    }
    // snippet end
    while server.requestCount("/v1/payments") == 0 { try await Task.sleep(for: .milliseconds(1)) }
    paying.cancel()
    await paying.value
    #expect(told.withLock { $0 } == ["It may have been paid."])
  }

  @Test func cancellingSaysWhatWasSent() async throws {
    let server = try ScriptedServer { _ in
      [
        .receiveRequest,
        .respond {
          $0.target == "/silent" ? [.stall] : [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), .stall]
        },
      ]
    }
    defer { server.stop() }
    let client = localClient(server.url())
    let early = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try await client.response(to: .get("/silent"))
    }
    #expect(await outcome(of: early)?.delivery == .notSent)
    #expect(server.requests.isEmpty)

    let silent = Task { _ = try await client.response(to: .get("/silent")) }
    while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
    let unheard = await outcome(of: silent)
    #expect(unheard?.kind == .cancelled && unheard?.delivery == .maybeSent)

    let response = try await client.stream(.get("/half"))
    let reading = Task { for try await _ in response.body {} }
    let halved = await outcome(of: reading)
    #expect(halved?.kind == .cancelled && halved?.delivery == .responded && halved?.status == 200)
  }

  /// What has failed before says what became of it.
  @Test(arguments: [
    (HTTPError(.notSent(.connectionRefused), delivery: .notSent), HTTPError.Delivery.notSent),
    (HTTPError(.maybeSent(.closed), delivery: .maybeSent), .maybeSent),
    (HTTPError(.unacceptableStatus(503), delivery: .responded, status: 503), .responded),
  ]) func cancellingAWait(error: HTTPError, delivery: HTTPError.Delivery) async throws {
    let clock = TestClock()
    let (client, stub) = client(configured { $0.dependencies.clock = clock }) { (_) async throws(HTTPError) in
      throw error
    }
    let waiting = Task { _ = try await client.request(.payments(limit: 20)) }
    await clock.waitForSleepers(1)
    let given = await outcome(of: waiting)
    #expect(given?.kind == .cancelled && given?.delivery == delivery && stub.requests.count == 1)
  }

  @Test func whatMayHaveArrivedBeforeIsSaid() async throws {
    let count = Mutex(0)
    let (client, _) = client { (_) async throws(HTTPError) in
      let number = count.withLock { count in
        count += 1
        return count
      }
      throw number == 1
        ? HTTPError(.maybeSent(.closed), delivery: .maybeSent) : HTTPError(.cancelled, delivery: .notSent)
    }
    let error = await #expect(throws: HTTPError.self) { try await client.request(.payments(limit: 20)) }
    #expect(error?.kind == .cancelled && error?.delivery == .maybeSent && error?.attempts == 2)
  }

  @Test func whoWaitsForATokenIsToldAtOnce() async throws {
    struct Slow: BearerTokenSource {
      let clock = TestClock()
      func token() async throws -> BearerToken? {
        try? await clock.sleep(for: .seconds(60))
        return BearerToken("late")
      }
      func refresh(_ old: BearerToken) async throws -> BearerToken { old }
    }
    let source = Slow()
    let (client, stub) = client(configured { $0.authentication = .bearer(BearerAuthentication(source)) }) { _ in
      .json("[]")
    }
    let waiting = Task { _ = try await client.request(.payments(limit: 20)) }
    await source.clock.waitForSleepers(1)
    let error = await outcome(of: waiting)
    #expect(error?.kind == .cancelled && error?.delivery == .notSent && stub.requests.isEmpty)
    source.clock.advance(by: .seconds(60))
  }
}
