import Foundation
import LarderHTTP
import Testing

extension Endpoint where Response == [String] {
  fileprivate static func names(of group: String = "all") -> Self { .get("/names/\(group)") }
}

/// How calls are written: whatever is asked of an endpoint, it is found by its name, and may be changed where it stands.
@Suite struct WritingTests {
  private func client(_ stub: TransportStub) -> HTTPClient {
    HTTPClient(baseURL: URL(string: "https://api.example")!, transport: stub)
  }

  @Test func endpointsAreFoundByTheirNames() async throws {
    let stub = TransportStub { _ in .json(#"["a"]"#) }
    let client = client(stub)
    let file = FileManager.default.temporaryDirectory.appending(path: "names-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(try await client.request(.names()) == ["a"])
    #expect(try await client.response(to: .names(of: "b")).status == 200)
    for try await _ in try await client.stream(.names()).body {}
    try await client.download(.names(), to: file)
    #expect(try Data(contentsOf: file) == Data(#"["a"]"#.utf8))
    guard case .changed = try await client.stream(.names(), since: nil),
      case .changed = try await client.download(.names(), to: file, since: nil)
    else {
      Issue.record("nothing was known")
      return
    }
    #expect(stub.requests.count == 6 && stub.requests.allSatisfy { $0.url.path().hasPrefix("/names/") })
  }

  /// What all of a client's requests have in common, one that somebody made by himself has, too.
  @Test func requestsOfOnesOwn() async throws {
    let stub = TransportStub { _ in .json("[]") }
    var configuration = HTTPClient.Configuration()
    configuration.headers = ["X-Version": "7", "X-Key": "secret"]
    configuration.secretHeaders = ["X-Key"]
    configuration.deadlines.total = .seconds(9)
    configuration.limits.body = 1_000
    let client = HTTPClient(baseURL: URL(string: "https://api.example")!, configuration: configuration, transport: stub)
    var own = HTTPRequest(.get, URL(string: "https://api.example/next")!, headers: ["X-Version": "8", "Accept": "a/b"])
    _ = try await client.response(to: HTTPRequest(.get, own.url))
    own.deadlines.total = .seconds(1)
    own.limits.body = 5
    _ = try await client.response(to: own)
    _ = try await client.response(to: HTTPRequest(.get, URL(string: "https://other.example/")!))
    let sent = stub.requests
    #expect(sent.map { $0.headers["X-Version"] } == ["7", "8", "7"])
    #expect(sent.map { $0.headers["Accept"] } == ["application/json", "a/b", "application/json"])
    #expect(sent.map { $0.headers["X-Key"] } == ["secret", "secret", nil])
    #expect(sent.map(\.limits.body) == [1_000, 5, 1_000])
    #expect(sent.map { $0.deadlines.total.map { $0 > .seconds(1) } } == [true, false, true])
  }

  /// The stand-in refuses what transports refuse.
  @Test func whatCannotBeSentIsNotAnsweredEither() async throws {
    let stub = TransportStub { _ in .json("[]") }
    let client = client(stub)
    let bad: [Endpoint<Void>] = [
      .get("/x", headers: ["A B": "c"]), .get("/x", headers: ["A": "b\r\nC: d"]),
      Endpoint(HTTPMethod(rawValue: "GE T"), "/x"), .put("/x", body: .file(URL(filePath: "/nope"))),
    ]
    for endpoint in bad {
      let error = await failure { () async throws(HTTPError) in try await client.request(endpoint) }
      guard case .invalidRequest = error?.kind else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
    #expect(stub.requests.isEmpty)
  }

  /// What is asked for is not written where nobody looks for it.
  @Test func aFileIsAFile() async throws {
    let stub = TransportStub { _ in .json("[]") }
    let error = await failure { () async throws(HTTPError) in
      try await client(stub).download(.get("/x"), to: URL(string: "http://h/y")!)
    }
    #expect(error?.kind == .file(errno: EINVAL) && stub.requests.isEmpty)
  }

  @Test func plainOnesAreChangedWhereTheyStand() async throws {
    let stub = TransportStub { _ in .json(#"["a"]"#) }
    let client = client(stub)
    _ = try await client.stream(.get("/x"))
    _ = try await client.response(to: .get("/x"))
    _ = try await client.stream(.get("/x").with { $0.deadlines = .streaming })
    _ = try await client.stream(.get("/x").with { $0.deadlines = Deadlines(total: .seconds(60)) })
    _ = try await client.response(to: .post("/x").with { $0.idempotencyKey = "k" })
    #expect(stub.requests.map(\.deadlines.total) == [nil, .seconds(300), nil, .seconds(60), .seconds(300)])
  }
}
