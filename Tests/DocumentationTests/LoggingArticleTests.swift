import Foundation
import Larder
import LarderTesting
import Synchronization
import Testing

/// The steps of LoggingAndMetrics.md, each run.
@Suite struct LoggingArticleTests {
  private let api = URL(string: "https://api.example")!

  /// Keeps what it is told.
  private final class Kept: LogHandler {
    private let entries = Mutex<[LogEntry]>([])
    var all: [LogEntry] { entries.withLock { $0 } }
    var levels: [LogLevel] { all.map(\.level) }
    func log(_ entry: LogEntry) { entries.withLock { $0.append(entry) } }
  }

  private final class Reports: Sendable {
    private let reports = Mutex<[RequestReport]>([])
    var all: [RequestReport] { reports.withLock { $0 } }
    func add(_ report: RequestReport) { reports.withLock { $0.append(report) } }
  }

  private func configured(_ change: (inout HTTPClient.Configuration) -> Void) -> HTTPClient.Configuration {
    var configuration = HTTPClient.Configuration()
    configuration.dependencies.clock = TestClock(advancesAutomatically: true)
    change(&configuration)
    return configuration
  }

  private func client(
    _ configuration: HTTPClient.Configuration, _ handler: @escaping TransportStub.Handler
  ) -> HTTPClient {
    HTTPClient(baseURL: api, configuration: configuration, transport: TransportStub(handler))
  }

  // MARK: - Events

  @Test func aLoggerIsSet() {
    // snippet: logger
    var configuration = HTTPClient.Configuration()
    configuration.logger = HTTPLogger(level: .debug, handler: StandardErrorLogHandler())
    // snippet end
    #expect(configuration.logger?.level == .debug)
  }

  @Test func whatBecomesOfARequestIsTold() async throws {
    let kept = Kept()
    let answers = Mutex<[TransportStub.Response]>([])
    let client = client(configured { $0.logger = HTTPLogger(level: .trace, handler: kept) }) { _ in
      answers.withLock { $0.isEmpty ? .status(410) : $0.removeFirst() }
    }
    func levels(_ given: TransportStub.Response...) async -> [LogLevel] {
      answers.withLock { $0 = given }
      let before = kept.all.count
      _ = try? await client.request(.payments(limit: 20))
      return Array(kept.levels.dropFirst(before))
    }
    #expect(await levels(.json("[]")) == [.debug])
    #expect(await levels(.status(503), .json("[]")) == [.info, .debug])
    #expect(await levels(.status(503), .status(503), .status(503)) == [.info, .info, .warning])
    #expect(await levels(.status(404)) == [.warning])
    #expect(await levels(.text("<html>", type: "text/html")) == [.warning])
    #expect(await levels(.json("{}")) == [.error])
    #expect(await levels(.status(200)) == [.error])
    #expect(await levels(.status(302, headers: ["Location": "ftp://elsewhere/"])) == [.error])
    let text = kept.all.map(\.message.text)
    let first = try #require(text.first)
    let address = try #require(first.split(separator: " ").first { $0.hasPrefix("#") })
    #expect(first.hasPrefix("GET /v1/payments of \(address) at api.example: 200 in "))
    #expect(first.hasSuffix(" ms, 0 bytes, attempts: 1, fields: Accept"))
    #expect(text.allSatisfy { $0.contains(address) && !$0.contains("limit") })
  }

  @Test func credentialsThatAreShownAnewAreTold() async throws {
    struct Source: BearerTokenSource {
      func token() async throws -> BearerToken? { BearerToken("old") }
      func refresh(_ old: BearerToken) async throws -> BearerToken { BearerToken("new") }
    }
    let kept = Kept()
    let client = client(
      configured {
        $0.logger = HTTPLogger(level: .info, handler: kept)
        $0.authentication = .bearer(BearerAuthentication(Source()))
      }
    ) { request in request.headers["Authorization"] == "Bearer new" ? .json("[]") : .status(401) }
    _ = try await client.request(.payments(limit: 20))
    #expect(
      kept.levels == [.info] && kept.all.first?.message.text.hasSuffix("refused, tried once more") == true)
    #expect(kept.all.first?.message.text.contains("old") == false)
  }

  /// Each failure is told once, also that of a request that could not be made.
  @Test func whatWasNeverBegunIsTold() async throws {
    let kept = Kept()
    let reports = Reports()
    let client = client(
      configured {
        $0.logger = HTTPLogger(level: .trace, handler: kept)
        $0.metrics = reports.add
      }
    ) { _ in .json("[]") }
    let invalid = await #expect(throws: HTTPError.self) { try await client.response(to: .get("/a/\("..")")) }
    #expect(invalid?.kind == .invalidRequest(.dotSegment))
    let unencodable = await #expect(throws: HTTPError.self) {
      try await client.request(Endpoint<Void>.put("/a", body: .json(Double.nan)))
    }
    #expect(unencodable?.kind == .invalidRequest(.body))
    await #expect(throws: HTTPError.self) {
      try await client.download(.get("/a"), to: URL(filePath: "/nowhere/at/all"))
    }
    await #expect(throws: HTTPError.self) {
      try await client.request(Endpoint<Void>.post("/a").with { $0.idempotencyKey = "\u{1F}" })
    }
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try await client.response(to: .get("/a"))
    }
    await #expect(throws: HTTPError.self) { try await cancelled.value }
    #expect(kept.levels == [.error, .error, .error, .error, .warning])
    #expect(
      kept.all.first?.message.text
        == "GET /a/{} failed before it was begun: the request cannot be sent (a dot segment in the path)")
    #expect(reports.all.map(\.name) == ["GET /a/{}", "PUT /a", "GET /a", "POST /a", "GET /a"])
    #expect(reports.all.allSatisfy { $0.metrics.attempts == 0 && $0.error?.attempts == 0 && $0.status == nil })
    #expect(reports.all.last?.error?.kind == .cancelled)
  }

  @Test func linesAreWritten() async throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "http ü.log")
    for _ in 0..<2 {
      let log = try FileLog(file)
      let client = client(configured { $0.logger = HTTPLogger(level: .debug, handler: log) }) { _ in .json("[]") }
      _ = try await client.request(.payments(limit: 20))
    }
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    #expect(lines.count == 2 && lines.allSatisfy { $0.contains("Z debug: GET /v1/payments of #") })
  }

  @Test func valuesAreHiddenUnlessTheyArePublic() {
    let kept = Kept()
    let logger = HTTPLogger(level: .info, handler: kept)
    let (count, user, token) = (20, "user-7", "secret")
    // snippet: own events
    logger.log(.info, "\(count, privacy: .public) payments of \(user, privacy: .hashed), with \(token)")
    // 20 payments of #5f3a91c0d2e44b17, with <private>
    // snippet end
    logger.log(.debug, "\(count, privacy: .public)")
    let words = kept.all.map(\.message.text).joined().split(separator: " ")
    #expect(kept.all.count == 1 && words.count == 6)
    #expect(words.first == "20" && words.dropFirst(3).first?.hasPrefix("#") == true && words.last == "<private>")
  }

  // MARK: - Metrics

  /// Counts and times, by the names of endpoints.
  private final class Histogram: Sendable {
    private let seen = Mutex<[String]>([])
    var names: [String] { seen.withLock { $0 } }
    func add(_ time: Duration, name: String, status: Int?) { seen.withLock { $0.append("\(name) \(status ?? 0)") } }
  }

  @Test func requestsAreCounted() async throws {
    let histogram = Histogram()
    var configuration = HTTPClient.Configuration()
    // snippet: metrics
    configuration.metrics = { report in
      // "GET /v1/payments/{}": one name for each endpoint, and not one for each payment.
      histogram.add(report.metrics.total, name: report.name, status: report.status)
    }
    // snippet end
    let client = client(configured { $0.metrics = configuration.metrics }) { _ in .json(#"{"id": "7", "amount": "1"}"#)
    }
    for id in ["7", "8"] { let _: Payment = try await client.request(PaymentEndpoint.payment(id: id)) }
    #expect(histogram.names == ["GET /v1/payments/{} 200", "GET /v1/payments/{} 200"])
  }

  @Test func timesAreOfTheirPhases() async throws {
    let authority = try TestCertificateAuthority()
    let server = try LoopbackServer(identity: authority.identity())
    defer { server.stop() }
    server.route("/v1/payments") { _ in .json("[]") }
    var options = CurlTransport.Options()
    options.proxy = .none
    options.trustRoots = .only(pem: authority.certificate)
    let client = HTTPClient(baseURL: server.url(), transport: CurlTransport(options: options))
    let first = try await client.response(to: .get("/v1/payments")).metrics
    #expect(!first.isReusedConnection && first.version == "1.1" && first.bodyBytes == 2 && first.attempts == 1)
    #expect(.zero < first.connect && first.connect < first.tls && first.tls < first.firstByte)
    #expect(first.firstByte <= first.total && first.bytesReceived > 2 && first.bytesSent > 0)
    let second = try await client.response(to: .get("/v1/payments")).metrics
    #expect(second.isReusedConnection && second.connect == .zero && second.tls == .zero && second.firstByte > .zero)
    // What was asked before has no part in it.
    #expect(second.firstByte <= second.total && second.bytesReceived == first.bytesReceived)
  }

  /// Neither former attempts nor redirects, though they are counted.
  @Test func metricsAreOfTheLastExchange() async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    let page = String(repeating: "x", count: 100_000)
    let client = localClient(server.url())
    server.route("/a") { _ in .text(page, status: 302, headers: ["Location": "/b"]) }
    server.route("/b") { [unowned server] _ in
      server.requestCount("/b") == 1 ? .text(page, status: 503) : .json("[]")
    }
    let metrics = try await client.response(to: .get("/a")).metrics
    #expect(metrics.attempts == 2 && metrics.redirects == 1)
    #expect(metrics.bytesReceived < 10_000 && metrics.bodyBytes == 2)
  }

  @Test func whatIsNotKnownIsZero() async throws {
    let reports = Reports()
    let closed = try ClosedPort()
    let away = localClient(closed.url) { configuration in
      configuration.retry = .never
      configuration.metrics = reports.add
    }
    _ = try? await away.response(to: .get("/a"))
    let refused = try #require(reports.all.first)
    #expect(refused.status == nil && refused.error?.kind == .notSent(.connectionRefused))
    #expect(refused.metrics.connect == .zero && refused.metrics.firstByte == .zero && refused.metrics.version == "")
    // Whoever gives up has measured nothing.
    let server = try LoopbackServer()
    server.route("/a") { _ in .hang }
    let client = localClient(server.url()) { $0.metrics = reports.add }
    let task = Task { try await client.response(to: .get("/a")) }
    while server.requestCount("/a") == 0 { try await Task.sleep(for: .milliseconds(1)) }
    task.cancel()
    _ = await task.result
    server.stop()
    #expect(reports.all.last?.error?.kind == .cancelled && reports.all.last?.metrics == HTTPMetrics())
    // And so has whoever lets go of a stream; what breaks off by itself is measured until then.
    for isReadOn in [false, true] {
      let server = try ScriptedServer { _ in
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"
        return [.receiveRequest, .send(head)] + (isReadOn ? [] : [.stall])
      }
      let response = try await localClient(server.url()) { $0.metrics = reports.add }.stream(.get("/a"))
      var pieces = response.body.makeAsyncIterator()
      #expect(try await pieces.next()?.count == 3)
      #expect(response.body.metrics == HTTPMetrics())
      if isReadOn {
        await #expect(throws: HTTPError.self) { try await pieces.next() }
        #expect(reports.all.last?.error?.kind == .interrupted(.truncated))
        #expect(reports.all.last?.metrics.bodyBytes == 3 && response.body.metrics == HTTPMetrics())
      } else {
        response.body.cancel()
        #expect(reports.all.last?.error?.kind == .cancelled && reports.all.last?.metrics == HTTPMetrics())
      }
      server.stop()
    }
  }

  // MARK: - Interceptors

  @Test func interceptorsSeeEachAttempt() async throws {
    let seen = Mutex<[String]>([])
    @Sendable func print(_ line: String) { seen.withLock { $0.append(line) } }
    let stub = TransportStub { request in
      if request.url.path() == "/v1/payments" { return .status(307, headers: ["Location": "/v2/payments"]) }
      guard request.headers["X-App-Version"] == "2.1" else { return .status(400) }
      return seen.withLock { $0.isEmpty } ? .status(503) : .json("[]")
    }
    // snippet: interceptors
    var configuration = HTTPClient.Configuration()
    configuration.interceptors = [
      AppVersion(version: "2.1"),
      AttemptTimes { name, status, time in print("\(name): \(status ?? 0) in \(time)") },
    ]
    // snippet end
    configuration.dependencies.clock = TestClock(advancesAutomatically: true)
    let client = HTTPClient(baseURL: api, configuration: configuration, transport: stub)
    #expect(try await client.request(.payments(limit: 20)).isEmpty)
    // Of the redirect nothing, and of the refusal its status.
    #expect(
      seen.withLock { $0.map { $0.prefix { $0 != "i" } } } == ["GET /v1/payments: 503 ", "GET /v1/payments: 200 "])
  }

  private struct Noted: HTTPInterceptor {
    let name: String
    let note: @Sendable (String) -> Void

    func intercept(_ request: HTTPRequest, next: Next) async throws(HTTPError) -> StreamedResponse {
      note("\(name) before, \(request.headers["Authorization"] ?? "no credentials")")
      defer { note("\(name) after") }
      return try await next(request)
    }
  }

  @Test func theFirstIsOutermostAndNoneSeesCredentials() async throws {
    let seen = Mutex<[String]>([])
    let note: @Sendable (String) -> Void = { line in seen.withLock { $0.append(line) } }
    let client = client(
      configured {
        $0.authentication = .basic(user: "a", password: "b")
        $0.interceptors = [Noted(name: "first", note: note), Noted(name: "second", note: note)]
      }
    ) { request in request.headers["Authorization"] == nil ? .status(401) : .json("[]") }
    _ = try await client.request(.payments(limit: 20))
    #expect(
      seen.withLock { $0 } == [
        "first before, no credentials", "second before, no credentials", "second after", "first after",
      ])
  }

  private struct Conditional: HTTPInterceptor {
    let kept: HTTPResponse?

    func intercept(_ request: HTTPRequest, next: Next) async throws(HTTPError) -> StreamedResponse {
      var request = request
      request.headers["If-None-Match"] = "\"1\""
      let response = try await next(request)
      guard response.status == 304, let kept else { return response }
      return StreamedResponse(head: kept.head, body: ResponseBody(kept.body))
    }
  }

  /// Whoever adds a condition answers what is unchanged, too.
  @Test func anInterceptorsOwnConditionIsItsOwn() async throws {
    func client(kept: HTTPResponse?) -> HTTPClient {
      self.client(configured { $0.interceptors = [Conditional(kept: kept)] }) { _ in .status(304) }
    }
    let error = await #expect(throws: HTTPError.self) { try await client(kept: nil).request(.payments(limit: 20)) }
    #expect(error?.kind == .unacceptableStatus(304))
    let head = ResponseHead(status: 200, headers: ["Content-Type": "application/json"], url: api)
    let kept = HTTPResponse(head: head, body: Data("[]".utf8))
    #expect(try await client(kept: kept).request(.payments(limit: 20)).isEmpty)
  }

  // MARK: - Where

  /// Where it was told.
  private final class Places: LogHandler {
    static let main = DispatchSpecificKey<Bool>()
    private let places = Mutex<[(isMain: Bool, thread: pthread_t)]>([])
    var areMain: [Bool] { places.withLock { $0.map(\.isMain) } }
    var threads: [pthread_t] { places.withLock { $0.map(\.thread) } }

    func note() {
      // The main actor's queue is served by any thread.
      let isMain = DispatchQueue.getSpecific(key: Places.main) != nil
      places.withLock { $0.append((isMain, pthread_self())) }
    }
    func log(_ entry: LogEntry) { note() }
  }

  @Test @MainActor func nothingIsToldOnTheMainActor() async throws {
    DispatchQueue.main.setSpecific(key: Places.main, value: true)
    let here = Places()
    here.note()
    #expect(here.areMain == [true])
    let server = try LoopbackServer()
    defer { server.stop() }
    server.route("/a") { _ in .text("a") }
    server.route("/a", method: .put) { _ in .text("a") }
    let places = Places()
    let client = localClient(server.url()) { configuration in
      configuration.logger = HTTPLogger(level: .trace, handler: places)
      configuration.metrics = { _ in places.note() }
      configuration.interceptors = [Noted(name: "") { _ in places.note() }]
    }
    _ = try await client.response(to: .get("/a"))
    #expect(places.areMain == [false, false, false, false])
    for try await _ in try await client.stream(.get("/a")).body {}
    #expect(places.areMain == Array(repeating: false, count: 8))

    // Whoever lets go of a stream is whom it is told on.
    let response = try await client.stream(.get("/a"))
    response.body.cancel()
    #expect(places.areMain.suffix(2) == [true, true])

    // How far a body has come is told by the transport.
    let progress = Places()
    let body = Data(repeating: 0, count: 100_000)
    try await client.upload(Endpoint<Void>.put("/a", body: .data(body))) { _ in progress.note() }
    #expect(Set(progress.threads).count == 1)
    let folder = try TemporaryFolder()
    let before = progress.threads.count
    try await client.download(.get("/a"), to: folder.url.appending(path: "a")) { _ in progress.note() }
    #expect(progress.threads.count > before && Set(progress.threads).count == 1)
  }
}
