import Foundation
import LarderHTTP
import LarderTesting
import Synchronization
import Testing

@Suite final class ConditionalTests: Sendable {
  private let date = Mutex(Fault.now)
  private let endpoint = Endpoint<[String]>.get("/list")

  private func client(_ url: URL, accept: String = "application/json") -> HTTPClient {
    .ofFaults(url, clock: TestClock(advancesAutomatically: true)) { configuration in
      configuration.dependencies.now = { [self] in date.withLock { $0 } }
      configuration.headers["Accept"] = accept
    }
  }

  private func server(_ fields: [String], always304: Bool = false) throws -> LoopbackServer {
    let server = try LoopbackServer()
    let fields = fields.map { $0.split(separator: ": ", maxSplits: 1).map(String.init) }
    let headers = Dictionary(uniqueKeysWithValues: fields.map { ($0[0], $0[1]) })
    server.route("/list") { request in
      let isKnown =
        request.headers["if-none-match"].map { $0 == headers["ETag"] } ?? (request.headers["if-modified-since"] != nil)
      return isKnown
        ? .bytes(Data(), type: "application/json", status: 304, headers: headers) : .json(#"["a"]"#, headers: headers)
    }
    return server
  }

  @Test(arguments: [["ETag: \"7\""], ["ETag: W/\"7\""], ["Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT"]])
  func whatIsUnchangedIsNotSent(_ fields: [String]) async throws {
    let server = try server(fields)
    defer { server.stop() }
    let client = client(server.url())
    guard case .changed(let value, let validators?) = try await client.refresh(endpoint, since: nil) else {
      Issue.record("no validators")
      return
    }
    #expect(value == ["a"])
    #expect(validators.isStrong == (fields == ["ETag: \"7\""]))
    // Kept as JSON, say.
    let stored = try JSONDecoder().decode(Validators.self, from: JSONEncoder().encode(validators))
    #expect(stored == validators)
    #expect(try await client.refresh(endpoint, since: stored) == .unchanged(validators))
  }

  @Test func whatTheyAreNotOfIsFetched() async throws {
    let server = try server(["ETag: \"7\"", "Vary: Accept, Authorization"])
    defer { server.stop() }
    let client = client(server.url())
    guard case .changed(_, let validators?) = try await client.refresh(endpoint, since: nil, scope: "1") else {
      Issue.record("no validators")
      return
    }
    func isFetched(_ endpoint: Endpoint<[String]>, scope: String = "1", with other: HTTPClient? = nil) async throws
      -> Bool
    {
      if case .changed = try await (other ?? client).refresh(endpoint, since: validators, scope: scope) {
        true
      } else {
        false
      }
    }
    #expect(try await isFetched(endpoint) == false)
    #expect(try await isFetched(endpoint, scope: "2"))
    #expect(try await isFetched(endpoint.with { $0.queryItems = [URLQueryItem(name: "page", value: "2")] }))
    #expect(try await isFetched(endpoint, with: self.client(server.url(), accept: "application/json, text/*")))
    // A token that is another is no other account; the scope says whose it is.
    #expect(try await isFetched(endpoint.with { $0.headers["Authorization"] = "Bearer 2" }) == false)
    #expect(try await isFetched(endpoint.with { $0.headers["X-Other"] = "1" }) == false)
  }

  @Test func theyAreNotBelievedForEver() async throws {
    let server = try server(["ETag: \"7\""])
    defer { server.stop() }
    let client = client(server.url())
    guard case .changed(_, var validators?) = try await client.refresh(endpoint, since: nil) else {
      Issue.record("no validators")
      return
    }
    var fetches = 0
    for day in 1...20 {
      date.withLock { $0 = Fault.now + Double(day) * 86_400 }
      switch try await client.refresh(endpoint, since: validators) {
      case .unchanged(let newer): validators = newer
      case .changed(_, let newer):
        fetches += 1
        validators = newer ?? validators
      }
    }
    // On days 9 and 18: being told that nothing has changed makes nothing younger.
    #expect(fetches == 2)
    date.withLock { $0 = Fault.now - 86_400 }
    if case .unchanged = try await client.refresh(endpoint, since: validators) { Issue.record("from the future") }
  }

  @Test func anUnchangedThatNobodyAskedForIsAnError() async throws {
    let stub = TransportStub { _ in .status(304) }
    let client = HTTPClient(baseURL: URL(string: "https://h")!, transport: stub)
    let error = await failure { () async throws(HTTPError) in try await client.refresh(endpoint, since: nil) }
    #expect(error?.kind == .unacceptableStatus(304))
  }

  @Test(arguments: [
    ["ETag": "7"], ["ETag": "\"a\"b\""], ["ETag": "\"7\"", "Vary": "*"], ["Last-Modified": "yesterday"], [:],
    ["ETag": "\""],
  ]) func whatValidatesNothing(_ headers: [String: String]) async throws {
    let stub = TransportStub { _ in .json("[]", headers: HTTPHeaders(headers)) }
    let client = HTTPClient(baseURL: URL(string: "https://h")!, transport: stub)
    #expect(try await client.refresh(endpoint, since: nil) == .changed([], nil))
  }

  @Test func newerValidatorsOfAnAnswerAreKept() async throws {
    let stub = TransportStub { request in
      request.headers["If-None-Match"] == nil
        ? .json("[]", headers: ["ETag": "\"1\""]) : .status(304, headers: ["ETag": "\"2\""])
    }
    let client = HTTPClient(baseURL: URL(string: "https://h")!, transport: stub)
    guard case .changed(_, let first?) = try await client.refresh(endpoint, since: nil),
      case .unchanged(let second) = try await client.refresh(endpoint, since: first)
    else {
      Issue.record("not conditional")
      return
    }
    #expect(second.entityTag == "\"2\"" && second.fetched == first.fetched)
  }

  // MARK: - Streams and downloads

  private let folder = FileManager.default.temporaryDirectory.appending(path: "conditional-\(UUID().uuidString)")

  @Test func aStreamThatIsUnchangedIsNotSent() async throws {
    let server = try server(["ETag: \"7\""])
    defer { server.stop() }
    let reports = Mutex<[RequestReport]>([])
    var configuration = HTTPClient.Configuration()
    configuration.metrics = { report in reports.withLock { $0.append(report) } }
    let client = HTTPClient(baseURL: server.url(), configuration: configuration, transport: CurlTransport.direct())
    guard case .changed(let response, let validators?) = try await client.stream(endpoint, since: nil) else {
      Issue.record("no validators")
      return
    }
    #expect(try await response.body.collect() == Data(#"["a"]"#.utf8))
    guard case .unchanged(let again) = try await client.stream(endpoint, since: validators) else {
      Issue.record("sent again")
      return
    }
    #expect(again == validators && validators.entityTag == "\"7\"")
    // An exchange that went well, and not one that somebody let go of.
    #expect(reports.withLock { $0.map(\.status) } == [200, 304])
    #expect(reports.withLock { $0.allSatisfy { $0.error == nil } })
    // What one has kept is of the others, too.
    #expect(try await client.refresh(endpoint, since: validators) == .unchanged(validators))
    guard case .changed = try await client.stream(endpoint, since: validators, scope: "2") else {
      Issue.record("of another account")
      return
    }
  }

  @Test func aDownloadThatIsUnchangedStays() async throws {
    let server = try server(["ETag: \"7\""])
    defer { server.stop() }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let client = client(server.url())
    let file = folder.appending(path: "list ü.json")
    guard case .changed(_, let validators?) = try await client.download(endpoint, to: file, since: nil) else {
      Issue.record("no validators")
      return
    }
    #expect(try Data(contentsOf: file) == Data(#"["a"]"#.utf8))
    try Data("kept".utf8).write(to: file)
    guard case .unchanged(validators) = try await client.download(endpoint, to: file, since: validators) else {
      Issue.record("sent again")
      return
    }
    #expect(try Data(contentsOf: file) == Data("kept".utf8))
    // What is not there cannot be unchanged.
    try FileManager.default.removeItem(at: file)
    guard case .changed = try await client.download(endpoint, to: file, since: validators) else {
      Issue.record("there is no file")
      return
    }
    #expect(try Data(contentsOf: file) == Data(#"["a"]"#.utf8))
  }

  /// Validators come in the place of an endpoint's own condition: else nobody had what is unchanged.
  @Test func aConditionOfTheEndpointsOwnGoes() async throws {
    let stub = TransportStub { request in
      request.headers["If-None-Match"] == nil && request.headers["If-Modified-Since"] == nil
        ? .json("[]") : .status(304)
    }
    let client = HTTPClient(baseURL: URL(string: "https://h")!, transport: stub)
    let own = endpoint.with {
      $0.headers = ["If-None-Match": "\"1\"", "If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"]
    }
    guard case .changed(let response, nil) = try await client.stream(own, since: nil) else {
      Issue.record("nothing is known that it could be")
      return
    }
    #expect(response.status == 200)
    #expect(try await client.refresh(own, since: nil) == .changed([], nil))
  }
}
