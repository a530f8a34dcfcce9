import Foundation
import LarderHTTP
import LarderTesting
import Testing

/// Answers of HTTP/2 that come in one piece with something else.
@Suite(.timeLimit(.minutes(1))) struct EarlyAnswerTests {
  /// An answer is one though its stream is reset behind it (RFC 9113, section 8.1).
  @Test(arguments: [0, 100, 3_000_000], [0, 8, 5] as [UInt32])
  func anAnswerBeforeAReset(_ size: Int, _ code: UInt32) async throws {
    for status in [413, 200] {
      for isKept in [true, false] {
        let body = String(repeating: "a", count: 1_000)
        let server = try HTTP2Server { arrival in
          let stream = arrival.frame.stream
          guard arrival.frame.type == HTTP2Frame.headers else { return [] }
          let isFirst = isKept && arrival.request == 0
          let head = HTTP2Frame.head(isFirst ? 200 : status, stream, fields: [("content-length", "1000")])
          return head + [.body(body, stream)] + (isFirst ? [] : [.reset(stream, code)])
        }
        defer { server.stop() }
        let client = server.client()
        if isKept { _ = try await client.response(to: .get("/first")) }
        let endpoint = Endpoint<[String]>.post("/orders", body: .data(Data(count: size)))
        if status == 200 {
          #expect(try await client.response(to: endpoint).body == Data(body.utf8))
        } else {
          let error = await failure { () async throws(HTTPError) in try await client.response(to: endpoint) }
          #expect(error?.kind == .unacceptableStatus(413) && error?.body == Data(body.utf8))
        }
        #expect(server.requests.count == (isKept ? 2 : 1))
      }
    }
  }

  /// A reset within an answer breaks it off.
  @Test(arguments: [0, 8] as [UInt32])
  func aResetWithinAnAnswer(_ code: UInt32) async throws {
    let server = try HTTP2Server { arrival in
      let stream = arrival.frame.stream
      guard arrival.frame.endsStream else { return [] }
      let piece = HTTP2Frame(type: HTTP2Frame.data, stream: stream, payload: Data("ab".utf8))
      return HTTP2Frame.head(200, stream, fields: [("content-length", "4")]) + [piece, .reset(stream, code)]
    }
    defer { server.stop() }
    let client = server.client()
    let error = await failure { () async throws(HTTPError) in
      try await client.response(to: Endpoint<Void>.post("/orders", body: .text("a")))
    }
    #expect(error?.delivery == .responded || error?.delivery == .maybeSent)
    #expect(error?.attempts == 1 && server.requests.count == 1)
  }

  /// Headers of any size up to the limit come whole, with the body behind them.
  @Test(arguments: [1, 12, 15, 16, 17, 31, 33, 50, 60])
  func largeHeaders(_ kilobytes: Int) async throws {
    let fields = (0..<kilobytes).map { ("x-\($0)", String(repeating: "\($0 % 10)", count: 1_000)) }
    let body = String(repeating: "body", count: 10_000)
    let server = try HTTP2Server { arrival in
      guard arrival.frame.endsStream else { return [] }
      let stream = arrival.frame.stream
      let first = HTTP2Frame(type: HTTP2Frame.data, stream: stream, payload: Data(body.utf8.prefix(16_000)))
      let second = HTTP2Frame(
        type: HTTP2Frame.data, stream: stream, payload: Data(body.utf8.dropFirst(16_000).prefix(16_000)))
      return HTTP2Frame.head(200, stream, fields: fields) + [
        first, second, .body(String(body.dropFirst(32_000)), stream),
      ]
    }
    defer { server.stop() }
    let client = server.client()
    for _ in 0..<2 {
      let response = try await client.response(to: .get("/x"))
      #expect(response.body == Data(body.utf8))
      #expect(response.headers.fields.count == kilobytes)
      for (name, value) in fields { #expect(response.headers[name] == value) }
    }
  }

  /// What passes the limit is an error at once.
  @Test func headersBeyondTheLimit() async throws {
    let fields = (0..<90).map { ("x-\($0)", String(repeating: "a", count: 1_000)) }
    let server = try HTTP2Server { HTTP2Frame.head(200, $0.frame.stream, fields: fields, isEnd: true) }
    defer { server.stop() }
    let client = server.client()
    let error = await failure { () async throws(HTTPError) in try await client.response(to: .get("/x")) }
    #expect(error?.kind == .tooLarge(.headers(limit: Limits().headers)))
  }
}
