import Foundation
import LarderHTTP
import LarderTesting
import Testing

/// Handles are used again, and some as they stand: what one request asks for must not be asked for by the next.
@Suite struct HandleSettingTests {
  private static func requests(_ server: ScriptedServer) -> [HTTPRequest] {
    let plain = HTTPRequest(.get, server.url("/"))
    func with(_ change: (inout HTTPRequest) -> Void) -> HTTPRequest {
      var request = plain
      change(&request)
      return request
    }
    let kinds = [
      plain, with { $0.method = .head }, with { $0.method = .delete },
      with { $0.headers["Accept-Encoding"] = "identity" }, with { $0.headers["Range"] = "bytes=0-0" },
      with { $0.headers["Authorization"] = "Bearer a" }, with { $0.url = server.url("/other?a=b") },
      HTTPRequest(.post, server.url("/"), body: .data(Data("small".utf8), type: "x/y")),
      HTTPRequest(.put, server.url("/"), body: .data(Data(count: 20_000), type: "x/z")),
    ]
    return kinds.flatMap { kind in
      [true, false].map { isWhole in
        var request = kind
        request.readsWholeBody = isWhole
        return request
      }
    }
  }

  @Test func whatComesBeforeARequestChangesNothingOfIt() async throws {
    let server = try ScriptedServer { _ in [.receiveRequest, .send(Wire.response()), .restart] }
    defer { server.stop() }
    let requests = Self.requests(server)
    for request in requests {
      _ = try await CurlTransport.direct().exchange(request)
      let alone = try #require(server.requests.last)
      for former in requests {
        let transport = CurlTransport.direct()
        _ = try await transport.exchange(former)
        _ = try await transport.exchange(request)
        let sent = try #require(server.requests.last)
        #expect(sent.method == alone.method && sent.target == alone.target && sent.body == alone.body)
        #expect(sent.headers == alone.headers, "\(former.method) \(former.headers), then \(request.method)")
      }
    }
  }

  /// A transfer that fails leaves no handle behind that is half set.
  @Test func whatFailedIsNotTheNexts() async throws {
    // That it closes is said: a client that has not noticed yet would send the next request there.
    let whole = Wire.response("whole", headers: ["Connection: close"])
    let server = try ScriptedServer { number in
      number % 2 == 0 ? [.receiveRequest, .close] : [.receiveRequest, .send(whole), .close]
    }
    defer { server.stop() }
    let transport = CurlTransport.direct()
    for number in 0..<20 {
      var request = HTTPRequest(.get, server.url("/\(number)"))
      request.readsWholeBody = true
      if number % 2 == 0 {
        request.headers["X-Secret"] = "mine"
        #expect(await failure { () async throws(HTTPError) in try await transport.exchange(request) } != nil)
      } else {
        #expect(try await transport.exchange(request).body == Data("whole".utf8))
      }
    }
    #expect(server.requests.map { $0.headers["x-secret"] } == (0..<20).map { $0 % 2 == 0 ? "mine" : nil })
  }
}
