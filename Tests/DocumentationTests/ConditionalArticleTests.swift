import Foundation
import Larder
import LarderTesting
import Synchronization
import Testing

/// The steps of ConditionalRequests.md, each run.
@Suite struct ConditionalArticleTests {
  private func client(_ handler: @escaping TransportStub.Handler) -> HTTPClient {
    HTTPClient(baseURL: URL(string: "https://api.example")!, transport: TransportStub(handler))
  }

  /// One that has a list with a tag, and says where that is known.
  private func tagged() -> HTTPClient {
    client { request in
      request.headers["If-None-Match"] == "\"1\""
        ? .status(304, headers: ["ETag": "\"1\""])
        : .json(#"[{"id": "1", "amount": "1"}]"#, headers: ["ETag": "\"1\""])
    }
  }

  @Test func whatIsUnchangedIsNotFetched() async throws {
    let client = tagged()
    var stored: Validators?
    var shown: [Payment] = []
    for _ in 0..<2 {
      // snippet: refresh
      switch try await client.refresh(.payments(limit: 20), since: stored) {
      case .unchanged(let validators):
        stored = validators
      case .changed(let payments, let validators):
        shown = payments
        stored = validators
      }
      // snippet end
    }
    #expect(shown.map(\.id) == ["1"] && stored?.entityTag == "\"1\"")
  }

  @Test func aStreamIsRefreshed() async throws {
    let client = tagged()
    var stored: Validators?
    var read = 0
    for _ in 0..<2 {
      // snippet: conditional stream
      switch try await client.stream(.get("/v1/export"), since: stored) {
      case .unchanged(let validators):
        stored = validators
      case .changed(let response, let validators):
        for try await piece in response.body { read += piece.count }
        // Now that all of it is there, and not before.
        stored = validators
      }
      // snippet end
    }
    #expect(read == 28 && stored?.entityTag == "\"1\"")
  }

  @Test func aDownloadIsRefreshed() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("export.json")
    let client = tagged()
    var stored: Validators?
    for _ in 0..<2 {
      // snippet: conditional download
      let answer = try await client.download(.get("/v1/export"), to: file, since: stored)
      switch answer {
      case .unchanged(let validators): stored = validators
      case .changed(_, let validators): stored = validators
      }
      // snippet end
      #expect(try Data(contentsOf: file).count == 28)
      if case .changed = answer { try Data(count: 28).write(to: file) }
    }
    #expect(try Data(contentsOf: file) == Data(count: 28))
  }

  @Test func aConditionByHand() async throws {
    let client = tagged()
    var tag: String?
    var read = 0
    for _ in 0..<2 {
      // snippet: condition by hand
      var headers: HTTPHeaders = ["Accept": "application/json"]
      headers["If-None-Match"] = tag
      let response = try await client.stream(.get("/v1/export", headers: headers))
      for try await piece in response.body { read += piece.count }
      if response.status == 200 { tag = response.headers["ETag"] }
      // snippet end
      #expect(tag == "\"1\"")
    }
    #expect(read == 28)
    let response = try await client.response(to: .get("/v1/export", headers: ["If-None-Match": "\"1\""]))
    #expect(response.isUnchanged && response.body.isEmpty)
    let folder = try TemporaryFolder()
    let downloaded = try await client.download(
      .get("/v1/export", headers: ["If-None-Match": "\"1\""]), to: folder.file("export.json"))
    #expect(downloaded.isUnchanged)
    #expect(!FileManager.default.fileExists(atPath: folder.file("export.json").path()))
    // A value is asked for, and there is none.
    let list = Endpoint<[Payment]>.get("/v1/payments", headers: ["If-None-Match": "\"1\""])
    let error = await #expect(throws: HTTPError.self) { try await client.request(list) }
    #expect(error?.kind == .noContent)
  }

  /// It is a success also where nobody reads the body that there is not.
  @Test func anUnchangedStreamHasEnded() async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    server.route("/v1/export") { _ in .status(304) }
    let reports = Mutex<[RequestReport]>([])
    let client = localClient(server.url()) { configuration in
      configuration.metrics = { report in reports.withLock { $0.append(report) } }
    }
    let endpoint = Endpoint<Void>.get("/v1/export", headers: ["If-None-Match": "\"1\""])
    do { _ = try await client.stream(endpoint) }
    for try await _ in try await client.stream(endpoint).body {}
    #expect(reports.withLock { $0.map { $0.error?.kind } } == [nil, nil])
    #expect(reports.withLock { $0.allSatisfy { $0.status == 304 && $0.metrics.total > .zero } })
  }

  /// A 304 that the request has not asked for.
  @Test func anUnchangedThatNobodyAskedForIsARefusal() async throws {
    let client = client { _ in .status(304) }
    let error = await #expect(throws: HTTPError.self) { try await client.stream(.get("/v1/export")) }
    #expect(error?.kind == .unacceptableStatus(304))
  }

  @Test func aChangeIsGuarded() async throws {
    let client = client { request in
      if request.method == .get { return .json(#"{"id": "7", "amount": "1"}"#, headers: ["ETag": "\"1\""]) }
      return .status(request.headers["If-Match"] == "\"1\"" ? 412 : 204)
    }
    guard
      case .changed(var payment, let validators?) = try await client.refresh(
        Endpoint<Payment>.get("/v1/payments/\("7")"), since: nil)
    else {
      Issue.record("no validators")
      return
    }
    func save() async throws {
      // snippet: guarded change
      payment.amount = "14.00"
      var headers: HTTPHeaders = [:]
      if validators.isStrong { headers["If-Match"] = validators.entityTag }
      try await client.request(
        Endpoint<Void>.put("/v1/payments/\(payment.id)", headers: headers, body: .json(payment)))
      // snippet end
    }
    let error = await #expect(throws: HTTPError.self) { try await save() }
    #expect(error?.kind == .unacceptableStatus(412))
  }
}
