import Foundation
import LarderHTTP
import LarderTesting
import Synchronization
import Testing

/// Credentials are nowhere to be read: in no log, no error, no description and no reflection.
@Suite struct CanaryTests {
  private static let canary = "CANARY"
  private static let encoded = Data("CANARY:CANARY".utf8).base64EncodedString()

  private final class Kept: LogHandler {
    private let texts = Mutex<[String]>([])
    func log(_ entry: LogEntry) { texts.withLock { $0.append(entry.message.text) } }
    var all: [String] { texts.withLock { $0 } }
  }

  private struct Key: RequestAuthentication {
    let key = canary
    func authorize(_ request: inout HTTPRequest) async throws(HTTPError) { request.headers["X-Key"] = key }
    func shouldReplay(_ request: HTTPRequest, after challenge: ResponseHead) async throws(HTTPError) -> Bool { true }
  }

  private struct Source: BearerTokenSource {
    let secret = canary
    func token() async throws -> BearerToken? { BearerToken(secret) }
    func refresh(_ old: BearerToken) async throws -> BearerToken { BearerToken(secret + "2") }
  }

  private func texts(_ value: some Any) -> [String] {
    var dumped = ""
    dump(value, to: &dumped)
    return ["\(value)", String(describing: value), String(reflecting: value), dumped]
  }

  @Test(arguments: 0..<3) func nothingIsTold(_ number: Int) async throws {
    let authentication: ClientAuthentication =
      [
        .basic(user: Self.canary, password: Self.canary), .bearer(BearerAuthentication(Source())), .custom(Key()),
      ][number]
    let kept = Kept()
    let reports = Mutex<[RequestReport]>([])
    let stub = TransportStub { request in
      request.url.path() == "/v1/fails" ? .status(401) : .json("[]", headers: ["Set-Cookie": Self.canary])
    }
    let client = HTTPClient.authenticated(authentication, by: stub) { configuration in
      configuration.logger = HTTPLogger(level: .trace, handler: kept)
      configuration.metrics = { report in reports.withLock { $0.append(report) } }
    }
    let response = try await client.response(to: .get("/x"))
    let error = try #require(
      await failure { () async throws(HTTPError) in try await client.response(to: .get("/fails")) })
    #expect(stub.requests.count == (number == 0 ? 2 : 3))
    var told = kept.all + texts(reports.withLock { $0 }) + texts(error) + texts(response) + [error.advice]
    told += texts(authentication) + texts(EndpointAuthentication.override(authentication)) + texts(client.configuration)
    switch authentication {
    case .basic(let basic): told += texts(basic)
    case .bearer(let bearer): told += texts(bearer)
    case .custom: break
    }
    for request in stub.requests {
      // It is there, and is not shown.
      let fields = request.headers.fields.map(\.value)
      #expect(fields.contains { $0.contains(Self.canary) || $0.contains(Self.encoded) })
      told += texts(request) + texts(request.headers) + request.headers.fields.flatMap { texts($0) }
    }
    let leak = told.first { $0.contains(Self.canary) || $0.contains(Self.encoded) }
    #expect(leak == nil)
    if number > 0 { #expect(kept.all.contains { $0.contains("the credentials were refused, tried once more") }) }
  }

  @Test func tokensAreNotDescribed() {
    let token = BearerToken(Self.canary, lifetime: .seconds(1))
    #expect(texts(token).allSatisfy { !$0.contains(Self.canary) } && "\(token)" == "BearerToken(<private>)")
    #expect(texts([token]).allSatisfy { !$0.contains(Self.canary) })
    #expect(texts(["a": Optional(token)]).allSatisfy { !$0.contains(Self.canary) })
    #expect(Mirror(reflecting: token).children.isEmpty)
    let field = HTTPHeaders.Field(name: "X-Other", value: "o")
    #expect("\(field)" == "X-Other: o")
    #expect("\(HTTPHeaders.Field(name: "proxy-authorization", value: "o"))" == "proxy-authorization: <private>")
  }
}
