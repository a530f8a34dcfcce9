import Foundation
import FoundationNetworking
import LoopbackServer
import Testing

@Suite struct ResponseTests {
  @Test func answersWithBytesAndHeaders() async throws {
    let server = try LoopbackServer()
    server.route("/a") { _ in .bytes(Data([1, 0, 2]), type: "application/x", headers: ["X-Mine": "yes"]) }
    let (data, response) = try await URLSession.shared.data(from: server.url("/a"))
    let http = try #require(response as? HTTPURLResponse)
    #expect(data == Data([1, 0, 2]))
    #expect(http.statusCode == 200)
    #expect(http.value(forHTTPHeaderField: "Content-Type") == "application/x")
    #expect(http.value(forHTTPHeaderField: "X-Mine") == "yes")
  }

  @Test func handlersSeeTheRequest() async throws {
    let server = try LoopbackServer()
    server.route("/echo", method: .post) { request in
      .text(
        "\(request.method.rawValue) \(request.query["q"] ?? "-") \(request.headers["x-mine"] ?? "-") "
          + String(decoding: request.body, as: UTF8.self))
    }
    var request = URLRequest(url: server.url("/echo?q=a%20%26b"))
    request.httpMethod = "POST"
    request.setValue("7", forHTTPHeaderField: "X-Mine")
    let body = String(repeating: "é", count: 100_000)
    request.httpBody = Data(body.utf8)
    let (data, _) = try await URLSession.shared.data(for: request)
    #expect(String(decoding: data, as: UTF8.self) == "POST a &b 7 " + body)
  }

  @Test(arguments: [("/known", "POST", 405), ("/unknown", "GET", 404), ("/throws", "GET", 500), ("/bad", "GET", 500)])
  func answersFailures(path: String, method: String, status: Int) async throws {
    struct Failure: Error {}
    let server = try LoopbackServer()
    server.route("/known") { _ in .text("") }
    server.route("/throws") { _ in throw Failure() }
    server.route("/bad") { _ in .text("", headers: ["X": "a\r\nb"]) }
    var request = URLRequest(url: server.url(path))
    request.httpMethod = method
    let (_, response) = try await URLSession.shared.data(for: request)
    #expect((response as? HTTPURLResponse)?.statusCode == status)
  }

  @Test func theMostPreciseRouteWinsAndCanBeReplaced() async throws {
    let server = try LoopbackServer()
    server.route("/a/*") { _ in .text("below") }
    server.route("/a/b/*") { _ in .text("further below") }
    server.route("/a/b") { _ in .text("exact") }
    func body(_ path: String) async throws -> String {
      String(decoding: try await URLSession.shared.data(from: server.url(path)).0, as: UTF8.self)
    }
    #expect(try await body("/a/x") == "below")
    #expect(try await body("/a/b/c") == "further below")
    #expect(try await body("/a/b") == "exact")
    server.route("/a/b") { _ in .text("replaced") }
    #expect(try await body("/a/b") == "replaced")
    #expect(server.requestCounts == ["/a/x": 1, "/a/b/c": 1, "/a/b": 2])
  }

  @Test func aTruncatedBodyDeclaresMoreThanItSends() throws {
    let server = try LoopbackServer()
    server.route("/half") { _ in .truncated(Data("0123456789".utf8), declaring: 20, type: "text/plain") }
    let client = try RawClient(port: server.port)
    client.send("GET /half HTTP/1.1\r\nHost: x\r\n\r\n")
    let answer = try #require(client.readToEnd())
    #expect(answer.contains("Content-Length: 20\r\n"))
    #expect(answer.hasSuffix("\r\n\r\n0123456789"))
  }

  @Test func aRequestForTwoHostsIsRefused() throws {
    let server = try LoopbackServer()
    server.route("/known") { _ in .text("") }
    let client = try RawClient(port: server.port)
    client.send("GET /known HTTP/1.1\r\nHost: localhost\r\nhost: elsewhere\r\nConnection: close\r\n\r\n")
    #expect(client.readToEnd()?.hasPrefix("HTTP/1.1 400 ") == true)
    #expect(server.requests.isEmpty)
  }

  @Test func aHangAnswersNothingUntilTheServerStops() throws {
    let server = try LoopbackServer()
    server.route("/hang") { _ in .hang }
    let client = try RawClient(port: server.port)
    client.send("GET /hang HTTP/1.1\r\nHost: x\r\n\r\n")
    while server.requestCount("/hang") == 0 { usleep(1_000) }
    server.stop()
    #expect(client.readToEnd() == "")
  }
}
