import Foundation
import LarderHTTP
import LarderTesting
import Synchronization
import Testing

@Suite final class ConditionalTests: Sendable {
  private let date = Mutex(Fault.now)
  private let endpoint = Endpoint<[String]>.get("/list")

  private func client(_ url: URL, accept: String = "application/json") -> HTTPClient {
    .ofFaults(url, clock: VirtualClock(runsByItself: true)) { configuration in
      configuration.environment.now = { [self] in date.withLock { $0 } }
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
    #expect(error?.kind == .refused(304))
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
}
