import Foundation
import FoundationNetworking
import LoopbackServer
import Testing

/// What is known of a request as it came, and after it was decoded.
@Suite struct RequestTests {
  private func answer(_ lines: String, by server: LoopbackServer) throws -> String {
    let client = try RawClient(port: server.port)
    client.send("\(lines)\r\nHost: x\r\nConnection: close\r\n\r\n")
    return try #require(client.readToEnd())
  }

  @Test(arguments: [
    ("/files/a/b", "/files/a/b", "/files/a/b"), ("/files/a%2Fb", "/files/a%2Fb", "/files/a/b"),
    ("/files/%c3%BC+?q=a/b?c", "/files/%c3%BC+", "/files/ü+"), ("/files/?", "/files/", "/files/"),
  ]) func aPathIsThereAsItWasSent(target: String, encoded: String, decoded: String) throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    server.route("/files/*") { .text("\($0.target) \($0.encodedPath) \($0.path)") }
    #expect(try answer("GET \(target) HTTP/1.1", by: server).hasSuffix("\r\n\r\n\(target) \(encoded) \(decoded)"))
    #expect(server.requests.map(\.target) == [target])
  }

  @Test func aQueryIsThereInItsOrder() throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    server.route("/list") { _ in .status(204) }
    _ = try answer("GET /list?tag=b&tag=a%26c&flag&empty=&tag=b+d&%C3%BC=%C3%A4 HTTP/1.1", by: server)
    let request = try #require(server.requests.first)
    #expect(
      request.queryItems == [
        URLQueryItem(name: "tag", value: "b"), URLQueryItem(name: "tag", value: "a&c"),
        URLQueryItem(name: "flag", value: nil), URLQueryItem(name: "empty", value: ""),
        URLQueryItem(name: "tag", value: "b d"), URLQueryItem(name: "ü", value: "ä"),
      ])
    #expect(request.query == ["tag": "b d", "flag": "", "empty": "", "ü": "ä"])
  }

  /// Several on one connection, bodies among them: each has its own.
  @Test func aTargetIsThatOfItsRequest() throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    server.route("/*") { _ in .status(204) }
    server.route("/*", method: .post) { .bytes($0.body, type: "text/plain") }
    let client = try RawClient(port: server.port)
    client.send("POST /a?1 HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\none")
    #expect(client.read(until: "one").contains("200 OK"))
    client.send("GET /b?2 HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(client.read(until: "\r\n\r\n").contains("204 No Content"))
    client.send("POST /c?3 HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nConnection: close\r\n\r\nthree")
    #expect(client.readToEnd()?.hasSuffix("three") == true)
    #expect(server.requests.map(\.target) == ["/a?1", "/b?2", "/c?3"])
    #expect(server.requests.map { String(decoding: $0.body, as: UTF8.self) } == ["one", "", "three"])
  }

  @Test func aStatusHasNoBody() throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    server.route("/moved") { _ in .status(307, headers: ["Location": "/here"]) }
    let text = try answer("GET /moved HTTP/1.1", by: server)
    #expect(text.hasPrefix("HTTP/1.1 307 ") && text.hasSuffix("\r\n\r\n"))
    #expect(text.contains("\r\nLocation: /here\r\n") && text.contains("\r\nContent-Length: 0\r\n"))
    #expect(!text.contains("Content-Type"))
  }

  @Test func aStreamMayHaveAnyStatus() throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    server.route("/jobs") { _ in
      .stream(type: "text/plain", status: 202, headers: ["X-Job": "7"]) { writer in
        writer.write("begun\n")
        writer.finish()
      }
    }
    let text = try answer("GET /jobs HTTP/1.1", by: server)
    #expect(text.hasPrefix("HTTP/1.1 202 ") && text.contains("\r\nX-Job: 7\r\n") && text.contains("begun\n"))
  }
}
