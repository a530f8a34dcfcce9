import Foundation
import LarderHTTP
import LarderTesting
import Testing

@Suite struct RedirectTests {
  /// What a client asks when the first answer redirects.
  private func asked(
    _ status: Int, to location: String?, method: HTTPMethod = .get, from base: String = "https://h/v1",
    body: RequestBody? = nil, change: (inout HTTPClient.Configuration) -> Void = { _ in }
  ) async throws -> [HTTPRequest] {
    let stub = TransportStub { request in
      if request.url.absoluteString.hasPrefix(base + "/start") {
        return .status(status, headers: location.map { ["Location": $0] } ?? [:])
      }
      return .json("[]")
    }
    var configuration = HTTPClient.Configuration()
    change(&configuration)
    let client = HTTPClient(baseURL: URL(string: base)!, configuration: configuration, transport: stub)
    let endpoint = Endpoint<[String]>(method, "/start", body: body).with {
      $0.headers = ["Authorization": "Bearer secret", "Cookie": "c", "X-Key": "k", "X-Other": "o"]
      $0.idempotencyKey = "key"
    }
    _ = try await client.request(endpoint)
    return stub.requests
  }

  @Test(arguments: [
    (301, HTTPMethod.get, HTTPMethod.get, false), (301, .post, .get, false), (302, .post, .get, false),
    (303, .post, .get, false), (303, .put, .get, false), (307, .post, .post, true), (308, .post, .post, true),
    (301, .put, .put, true), (302, .delete, .delete, true), (303, .head, .head, true), (308, .patch, .patch, true),
  ]) func methods(_ status: Int, _ method: HTTPMethod, _ next: HTTPMethod, _ keepsBody: Bool) async throws {
    let requests = try await asked(status, to: "/v1/end?x=1", method: method, body: .json(["a": 1]))
    #expect(requests.map(\.method) == [method, next])
    #expect(requests[1].url.absoluteString == "https://h/v1/end?x=1")
    #expect((requests[1].body != nil) == (keepsBody || method == .get && next == .get))
  }

  @Test func anotherOriginIsNotGivenSecrets() async throws {
    for location in ["https://other/x", "https://h:8443/x", "//sub.h/x"] {
      let requests = try await asked(307, to: location) { $0.secretHeaders = ["x-key"] }
      let headers = requests[1].headers
      #expect(headers["Authorization"] == nil && headers["Cookie"] == nil && headers["X-Key"] == nil, "\(location)")
      #expect(headers["Idempotency-Key"] == nil && headers["X-Other"] == "o")
    }
    let same = try await asked(307, to: "https://H:443/x") { $0.secretHeaders = ["x-key"] }
    #expect(same[1].headers["Authorization"] == "Bearer secret" && same[1].headers["X-Key"] == "k")
  }

  @Test(
    arguments: [
      (nil, RedirectFailure.noLocation), ("http://h/x", .insecure), ("ftp://h/x", .noLocation),
      ("https://", .noLocation),
      ("", .tooMany(limit: 10)), ("/v1/start", .tooMany(limit: 10)),
    ] as [(String?, RedirectFailure)]) func whatIsNotFollowed(_ location: String?, _ expected: RedirectFailure)
    async throws
  {
    let error = await #expect(throws: HTTPError.self) { try await asked(302, to: location) }
    #expect(error?.kind == .redirect(expected))
    #expect(error?.status == 302 && error?.attempts == 1)
  }

  @Test func aBodyThatCannotBeSentAgain() async throws {
    let once = RequestBody.stream(type: "x/y") { AsyncStream<Data> { $0.finish() } }
    let error = await #expect(throws: HTTPError.self) { try await asked(307, to: "/v1/x", method: .put, body: once) }
    #expect(error?.kind == .redirect(.bodyNotReplayable))
  }

  @Test func overSockets() async throws {
    let other = try ScriptedServer { _ in [.receiveRequest, .send(Wire.json("[]")), .again] }
    let first = try ScriptedServer { _ in
      [
        .receiveRequest,
        .send(Wire.response("moved", status: "307 Temporary Redirect", headers: ["Location: \(other.url("/end"))"])),
        .again,
      ]
    }
    defer {
      first.stop()
      other.stop()
    }
    let client = HTTPClient.ofFaults(first.url(), clock: VirtualClock(runsByItself: true))
    _ = try await client.request(
      Endpoint<[String]>.put("/start", body: .json([1])).with { $0.headers["Authorization"] = "secret" })
    #expect(other.requests.map(\.body) == [Data("[1]".utf8)])
    #expect(first.requests[0].headers["authorization"] == "secret" && other.requests[0].headers["authorization"] == nil)
  }
}
