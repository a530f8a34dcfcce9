import Foundation
import LarderHTTP
import LarderTesting
import Synchronization
import Testing

/// What is said of an answer that came and is none.
@Suite struct FailedAnswerTests {
  private struct Item: Codable, Sendable, Equatable {
    var id: Int
  }

  private func error(
    _ body: String, type: String? = "application/json", status: Int = 200, headers: HTTPHeaders = [:],
    _ endpoint: Endpoint<Item> = .get("/items/\("1")")
  ) async throws -> HTTPError {
    var fields = headers
    fields["Content-Type"] = type
    let answer = TransportStub.Response(status: status, headers: fields, body: Data(body.utf8))
    let client = HTTPClient(
      baseURL: URL(string: "https://api.example")!, configuration: .init(), transport: TransportStub { _ in answer })
    return try #require(await failure { () async throws(HTTPError) in try await client.request(endpoint) })
  }

  @Test(arguments: ["{", #"{"id": 1"#, #"{"id": 1}}"#, "[1,2", "nul", "{'id': 1}"])
  func whatCallsItselfJSONAndIsNone(_ body: String) async throws {
    let error = try await error(body)
    #expect(error.kind == .notJSON(mediaType: "application/json") && error.delivery == .responded)
    #expect(error.body == Data(body.utf8) && error.underlying is DecodingError)
    #expect(error.advice.contains("the beginning of"))
    #expect(!error.description.contains(body) || body == "{")
  }

  /// A decoder that takes nothing, and says so as of what is no JSON.
  private struct Refusing: BodyDecoder {
    func decode<Value: Decodable>(_ type: Value.Type, from body: Data) throws -> Value {
      throw DecodingError.dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: "no"))
    }
  }

  /// What is no JSON is told by its place; a comma too many is none, whatever Foundation's readers take.
  @Test(
    arguments: [("{\"id\": 1,\n}", TextPosition(line: 2, column: 1)), ("{\"id\": 1}", nil)] as [(String, TextPosition?)]
  )
  func aCommaTooMany(_ body: String, _ position: TextPosition?) async throws {
    let answer = TransportStub.Response(
      status: 200, headers: ["Content-Type": "application/json"], body: Data(body.utf8))
    var configuration = HTTPClient.Configuration()
    configuration.decoder = Refusing()
    let client = HTTPClient(
      baseURL: URL(string: "https://api.example")!, configuration: configuration,
      transport: TransportStub { _ in answer })
    let error = await failure { () async throws(HTTPError) in
      try await client.request(Endpoint<Item>.get("/items/\("1")"))
    }
    #expect(error?.textPosition == position)
    #expect(error?.kind == (position == nil ? .undecodable(path: "") : .notJSON(mediaType: "application/json")))
    #expect(error?.description.contains("line 2, column 1") == (position != nil))
  }

  /// A field that is the transport's own is not one with a bad name or value.
  @Test(arguments: ["Connection", "content-length", "Transfer-Encoding", "Upgrade"])
  func aFieldOfTheTransport(_ name: String) async throws {
    let endpoint = Endpoint<Item>.get("/items/\("1")").with { $0.headers = [name: "close"] }
    let error = try await error("{}", endpoint)
    guard case .invalidRequest(.header) = error.kind else {
      Issue.record("\(error)")
      return
    }
    #expect(error.advice.hasPrefix("Leave ") && !error.advice.contains("line breaks"))
  }

  /// Some servers refuse who has no User-Agent; what has one is not told so.
  @Test(arguments: [nil, "Larder"]) func aUserAgentThatWasNotSent(_ agent: String?) async throws {
    let server = try ScriptedServer { _ in
      [.receiveRequest, .send(Wire.response("", status: "403 Forbidden")), .restart]
    }
    defer { server.stop() }
    let client = HTTPClient.ofFaults(server.url(), clock: TestClock(advancesAutomatically: true)) {
      $0.headers["User-Agent"] = agent
    }
    let error = await failure { () async throws(HTTPError) in try await client.response(to: .get("/x")) }
    #expect(error?.kind == .unacceptableStatus(403) && error?.advice.contains("User-Agent") == (agent == nil))
  }

  /// Whatever number a transport fails with, there are words for it.
  @Test(arguments: [2, 4, 27, 43, 45, 55, 65, 93, 99, 100, 4_242, -1_001])
  func wordsOfNumbers(_ code: Int) {
    let error = HTTPError(.notSent(.other(code: code)), delivery: .notSent)
    #expect(!error.description.contains("with code") && error.description.contains("(code \(code))"))
  }

  @Test func jsonOfAnotherTypeIsToldByItsPath() async throws {
    let error = try await error(#"{"id": "one"}"#)
    #expect(error.kind == .undecodable(path: "id"))
    #expect(error.body == Data(#"{"id": "one"}"#.utf8))
    // A value at the root, which is JSON.
    #expect(try await self.error("7").kind == .undecodable(path: ""))
  }

  @Test func whatIsKeptOfAnAnswerIsLittle() async throws {
    let large = "{" + String(repeating: " ", count: 200_000)
    #expect(try await error(large).body == Data(large.utf8.prefix(HTTPError.errorBodyLimit)))
  }

  @Test func aPageIsOfAPortal() async throws {
    let error = try await error("<html>Sign in</html>", type: "text/html")
    #expect(error.kind == .notJSON(mediaType: "text/html") && error.advice.contains("open a web page"))
    #expect(error.body == Data("<html>Sign in</html>".utf8))
  }

  /// A condition of the endpoint's own: that nothing has changed is no value, and no nil either.
  @Test func nothingHasChanged() async throws {
    let error = try await error("", status: 304, Endpoint(.get, "/items", headers: ["If-None-Match": "\"1\""]))
    #expect(error.kind == .noContent && error.status == 304 && error.advice.contains("refresh"))
    let client = HTTPClient(
      baseURL: URL(string: "https://api.example")!, configuration: .init(),
      transport: TransportStub { _ in .status(304) })
    let optional = await failure { () async throws(HTTPError) in
      try await client.request(Endpoint<Item?>(.get, "/items", headers: ["If-None-Match": "\"1\""]))
    }
    #expect(optional?.kind == .noContent)
  }

  /// Whoever reads it, and however: what it was to be is JSON.
  @Test func aPageIsOfNobody() async throws {
    let page = TransportStub.Response(
      status: 200, headers: ["Content-Type": "text/html", "ETag": "\"portal\""], body: Data("<html>".utf8))
    let client = HTTPClient(baseURL: URL(string: "https://api.example")!, transport: TransportStub { _ in page })
    var errors: [HTTPError?] = []
    errors.append(await failure { () async throws(HTTPError) in try await client.stream(.get("/x")) })
    errors.append(await failure { () async throws(HTTPError) in try await client.stream(.get("/x"), since: nil) })
    errors.append(await failure { () async throws(HTTPError) in try await client.response(to: .get("/x")) })
    errors.append(
      await failure { () async throws(HTTPError) in try await client.response(to: HTTPRequest(.get, client.baseURL)) })
    errors.append(await failure { () async throws(HTTPError) in try await client.request(Endpoint<Void>.delete("/x")) })
    for error in errors {
      #expect(error?.kind == .notJSON(mediaType: "text/html") && error?.delivery == .responded && error?.status == 200)
      #expect(error?.body == Data("<html>".utf8) && error?.description.contains("(text/html)") == true)
    }
    // Whoever asks for pages gets them, and nothing is no page.
    let wanted = Endpoint<Void>.get("/x", headers: ["Accept": "text/html"])
    #expect(try await client.response(to: wanted).body == Data("<html>".utf8))
    #expect(try await client.response(to: Endpoint<Void>.head("/x")).status == 200)
    let empty = HTTPClient(
      baseURL: URL(string: "https://api.example")!,
      transport: TransportStub { _ in TransportStub.Response(headers: ["Content-Type": "text/html"]) })
    #expect(try await empty.response(to: .delete("/x")).body.isEmpty)
  }

  /// What has been done is said, whatever is wrong with the answer.
  @Test func aSuccessThatIsOfNoUseWasOneAllTheSame() async throws {
    for (body, type) in [(#"{"id": "one"}"#, "application/json"), ("{", "application/json"), ("", "application/json")] {
      let made = try await error(body, type: type, status: 201, .post("/items"))
      #expect(made.advice.contains("has taken the request"), "\(made.kind)")
      #expect(try await error(body, type: type).advice.contains("has taken the request") == false)
    }
    let failed = try await error("{}", status: 501, .post("/items"))
    #expect(failed.advice.contains("may have acted"))
  }

  /// Once, and as what it is.
  @Test func whatCannotBeDecodedIsToldOnce() async throws {
    let reports = Mutex<[RequestReport]>([])
    let lines = Mutex<[LogEntry]>([])
    struct LineLog: LogHandler {
      let take: @Sendable (LogEntry) -> Void
      func log(_ entry: LogEntry) { take(entry) }
    }
    var configuration = HTTPClient.Configuration()
    configuration.metrics = { report in reports.withLock { $0.append(report) } }
    configuration.logger = HTTPLogger(level: .debug, handler: LineLog { line in lines.withLock { $0.append(line) } })
    let client = HTTPClient(
      baseURL: URL(string: "https://api.example")!, configuration: configuration,
      transport: TransportStub { _ in .json(#"{"id": "one"}"#) })
    _ = await failure { () async throws(HTTPError) in try await client.request(Endpoint<Item>.get("/items/\("1")")) }
    let report = try #require(reports.withLock { $0.count == 1 ? $0.first : nil })
    #expect(report.status == 200 && report.error?.kind == .undecodable(path: "id") && report.metrics.bodyBytes == 13)
    #expect(lines.withLock { $0.map(\.level) } == [.error])
  }

  /// Whether it does harm to send it again depends on the method.
  @Test func adviceIsOfTheRequest() async throws {
    let transport = TransportStub { _ throws(HTTPError) in
      throw HTTPError(.maybeSent(.closed), delivery: .maybeSent)
    }
    var configuration = HTTPClient.Configuration()
    configuration.retry = .never
    let client = HTTPClient(
      baseURL: URL(string: "https://api.example")!, configuration: configuration, transport: transport)
    for method in [HTTPMethod.get, .head, .post, .put, .delete] {
      let error = try #require(
        await failure { () async throws(HTTPError) in
          _ = try await client.response(to: Endpoint<Void>(method, "/items"))
        })
      #expect(error.advice.contains("only reads") == method.isSafe, "\(method)")
      #expect(error.advice.contains("may have acted") != method.isSafe, "\(method)")
    }
  }
}
