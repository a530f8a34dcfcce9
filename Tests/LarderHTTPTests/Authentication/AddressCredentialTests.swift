import Foundation
import LarderHTTP
import LarderTesting
import Testing

/// A name and a password in an address fall under the same rules as those in a header.
@Suite(.timeLimit(.minutes(1))) struct AddressCredentialTests {
  private let field = "Basic " + Data("us:pä ss@".utf8).base64EncodedString()
  private func address(_ rest: String) -> URL { URL(string: rest.replacing("//", with: "//us:p%C3%A4%20ss%40@"))! }

  private func client(
    _ transport: any HTTPTransport, base: String = "https://api.example",
    _ change: (inout HTTPClient.Configuration) -> Void = { _ in }
  ) -> HTTPClient {
    var configuration = HTTPClient.Configuration()
    change(&configuration)
    return HTTPClient(baseURL: URL(string: base)!, configuration: configuration, transport: transport)
  }

  @Test func theyAreSentByTheHeader() async throws {
    let server = try ScriptedServer { _ in [.receiveRequest, .send(Wire.json("[]")), .restart] }
    defer { server.stop() }
    let client = client(CurlTransport.direct())
    let request = HTTPRequest(.get, address("http://127.0.0.1:\(server.port)/x"))
    let response = try await client.response(to: request)
    #expect(server.requests.last?.headers["authorization"] == field)
    #expect(response.head.url.absoluteString == "http://127.0.0.1:\(server.port)/x")
    // Who says by the header who asks keeps that.
    var own = request
    own.headers["Authorization"] = "Bearer own"
    _ = try await client.response(to: own)
    #expect(server.requests.last?.headers["authorization"] == "Bearer own")
  }

  @Test func theyAreNotSentWhereEverybodyCanReadThem() async throws {
    let stub = TransportStub { _ in .json("[]") }
    for address in ["http://api.example/x", "http://192.168.0.1/x", "http://[::ffff:127.0.0.1]:8080/x"] {
      let request = HTTPRequest(.get, self.address(address))
      let client = client(stub)
      let error = await failure { () async throws(HTTPError) in try await client.response(to: request) }
      #expect(error?.kind == .invalidRequest(.insecureCredentials) && error?.attempts == 1)
      #expect(error?.description.contains("us") != true || error?.description.contains("ss@") == false)
      #expect(stub.requests.isEmpty)
    }
    let allowing = client(stub) { $0.allowsCredentialsOverHTTP = true }
    _ = try await allowing.response(to: HTTPRequest(.get, address("http://api.example/x")))
    #expect(stub.requests.last?.headers["Authorization"] == field)
    #expect(stub.requests.last?.url.absoluteString == "http://api.example/x")
  }

  @Test(arguments: [("/new", true), ("https://api.example/new", true), ("https://other.example/new", false)])
  func aRedirectTakesThemAlongWithinTheirOrigin(_ location: String, _ isKept: Bool) async throws {
    let stub = TransportStub { request in
      request.url.path() == "/old" ? .status(302, headers: ["Location": location]) : .json("[]")
    }
    let client = client(stub)
    _ = try await client.response(to: HTTPRequest(.get, address("https://api.example/old")))
    #expect(stub.requests.map { $0.headers["Authorization"] } == [field, isKept ? field : nil])
    #expect(stub.requests.allSatisfy { $0.url.user() == nil })
  }

  @Test func anInterceptorsAddressIsNoException() async throws {
    struct Signing: HTTPInterceptor {
      func intercept(
        _ request: HTTPRequest, next: Next
      ) async throws(HTTPError) -> StreamedResponse {
        var changed = request
        changed.url = URL(string: "http://u:p@api.example/x")!
        return try await next(changed)
      }
    }
    let stub = TransportStub { _ in .json("[]") }
    let client = client(stub) { $0.interceptors = [Signing()] }
    let error = await failure { () async throws(HTTPError) in try await client.response(to: .get("/x")) }
    #expect(error?.kind == .invalidRequest(.insecureCredentials) && stub.requests.isEmpty)
  }

  /// A transport that is asked without a client knows no rule, and takes no such address.
  @Test func aTransportAloneRefusesThem() async throws {
    let transport = CurlTransport.direct()
    let request = HTTPRequest(.get, address("http://127.0.0.1:1/x"))
    let error = await failure { () async throws(HTTPError) in try await transport.exchange(request) }
    #expect(error?.kind == .invalidRequest(.url))
  }
}
