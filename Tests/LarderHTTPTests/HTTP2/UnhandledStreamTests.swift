import Foundation
import LarderHTTP
import LarderTesting
import Testing

/// What a server says of a stream of HTTP/2 that it ends.
@Suite(.timeLimit(.minutes(1))) struct UnhandledStreamTests {
  /// How a server says that it has not handled a request.
  enum Rejection: CaseIterable, Sendable {
    case refusedStream, goAway, goAwayAndEnd

    func frames(_ stream: UInt32) -> [HTTP2Frame] {
      self == .refusedStream ? [.reset(stream, 7)] : [.goAway(last: stream < 2 ? 0 : stream - 2)]
    }
  }

  /// As few bytes as none, as many as are sent with the header, and more than that.
  static let bodySizes = [0, 100, 20_000, 200_000]

  private static func answer(_ arrival: HTTP2Server.Arrival) -> [HTTP2Frame] {
    let stream = arrival.frame.stream
    return arrival.frame.endsStream ? HTTP2Frame.head(200, stream) + [.body("[]", stream)] : []
  }

  /// A request that was not handled is sent again at once, over another connection, whatever its method.
  @Test(arguments: Rejection.allCases, bodySizes)
  func requestsThatWereNotHandledAreSentAgain(_ refusal: Rejection, _ size: Int) async throws {
    for isKept in [true, false] {
      let server = try HTTP2Server { arrival in
        guard arrival.connection == 0, arrival.request == (isKept ? 1 : 0) else { return Self.answer(arrival) }
        // Once, when it begins; or when it was read.
        guard arrival.frame.type == HTTP2Frame.headers else { return refusal == .goAwayAndEnd ? nil : [] }
        return refusal.frames(arrival.frame.stream)
      }
      defer { server.stop() }
      let clock = TestClock(advancesAutomatically: true)
      let client = server.client(clock: clock)
      if isKept { try await client.request(Endpoint<Void>.get("/first")) }
      let endpoint = Endpoint<[String]>.post("/orders", body: .data(Data(count: size)))
      let answer = try await client.response(to: endpoint)
      #expect(answer.status == 200 && answer.metrics.attempts == 2 && answer.metrics.version == "2")
      // Of a body that cannot be rewound libcurl itself may open a connection in between.
      let connections = server.requests.map(\.connection)
      #expect(connections.dropLast() == (isKept ? [0, 0] : [0]) && connections.last != 0)
      #expect(clock.sleeps.isEmpty)
    }
  }

  /// The same where a redirect has led to the request that was not handled, and it costs nothing of the host's budget either.
  @Test(arguments: Rejection.allCases, [307, 303])
  func redirectedRequestsThatWereNotHandledAreSentAgain(_ refusal: Rejection, _ status: Int) async throws {
    let server = try HTTP2Server { arrival in
      let stream = arrival.frame.stream
      switch (arrival.connection, arrival.request) {
      case (0, 0), (1..., 0):
        guard arrival.connection == 0 || status == 307 else { return Self.answer(arrival) }
        return arrival.frame.endsStream
          ? HTTP2Frame.head(status, stream, fields: [("location", "/end")], isEnd: true) : []
      case (0, _):
        guard arrival.frame.type == HTTP2Frame.headers else { return refusal == .goAwayAndEnd ? nil : [] }
        return refusal.frames(stream)
      default: return Self.answer(arrival)
      }
    }
    defer { server.stop() }
    let clock = TestClock(advancesAutomatically: true)
    let client = server.client(clock: clock) { $0.retry.budget = 0 }
    var endpoint = Endpoint<[String]>.post("/orders", body: .text("a"))
    endpoint.idempotencyKey = "key"
    let answer = try await client.response(to: endpoint)
    #expect(answer.status == 200 && answer.metrics.attempts == 2 && clock.sleeps.isEmpty)
  }

  /// A body that cannot be made again is not, where some of it was taken.
  @Test func aBodyThatCannotBeMadeAgain() async throws {
    let server = try HTTP2Server { arrival in
      arrival.frame.type == HTTP2Frame.data ? [.reset(arrival.frame.stream, 7)] : []
    }
    defer { server.stop() }
    let body = RequestBody.stream(type: "text/plain") {
      AsyncStream { continuation in
        continuation.yield(Data(count: 20_000))
        continuation.finish()
      }
    }
    let client = server.client()
    let error = await failure { () async throws(HTTPError) in
      try await client.request(Endpoint<Void>(.post, "/orders", body: body))
    }
    #expect(error?.kind == .notSent(.notProcessed) && error?.attempts == 1)
  }

  /// One that refuses each time is asked at once, and then after waits; and the request was not sent.
  @Test func aServerThatHasNoRoom() async throws {
    let server = try HTTP2Server { arrival in
      arrival.frame.type == HTTP2Frame.headers ? [.reset(arrival.frame.stream, 7)] : []
    }
    defer { server.stop() }
    let clock = TestClock(advancesAutomatically: true)
    let client = server.client(clock: clock)
    let error = await failure { () async throws(HTTPError) in
      try await client.request(Endpoint<Void>.post("/orders", body: .text("a")))
    }
    #expect(error?.kind == .notSent(.notProcessed) && error?.delivery == .notSent)
    #expect(error?.attempts == 6 && clock.sleeps == [.milliseconds(250), .milliseconds(500)])
  }

  /// Another end of a stream says nothing of what was done: what must not be done twice is not sent again.
  @Test(arguments: [1, 2, 8, 11] as [UInt32], [true, false])
  func otherEndsSayNothing(_ code: UInt32, _ isKept: Bool) async throws {
    let server = try HTTP2Server { arrival in
      isKept && arrival.request == 0
        ? Self.answer(arrival) : arrival.frame.endsStream ? [.reset(arrival.frame.stream, code)] : []
    }
    defer { server.stop() }
    let client = server.client()
    if isKept { try await client.request(Endpoint<Void>.get("/first")) }
    let error = await failure { () async throws(HTTPError) in
      try await client.request(Endpoint<Void>.post("/orders", body: .text("a")))
    }
    #expect(error?.delivery == .maybeSent && error?.attempts == 1)
    #expect(server.requests.count == (isKept ? 2 : 1))
  }

  /// Of requests that share a connection which ends, those after the last that was handled are sent again, and no other is.
  @Test func manyRequestsOfAConnectionThatEnds() async throws {
    let server = try HTTP2Server { arrival in
      guard arrival.connection == 0 else { return Self.answer(arrival) }
      guard arrival.frame.endsStream else { return [] }
      // The third ends the connection when it was read; what came by then is not handled.
      return switch arrival.request {
      case 0, 1: Self.answer(arrival)
      case 2: Self.answer(arrival) + [.goAway(last: arrival.frame.stream)]
      default: []
      }
    }
    defer { server.stop() }
    let client = server.client()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 { group.addTask { try await client.request(Endpoint<Void>.post("/orders", body: .text("a"))) } }
      try await group.waitForAll()
    }
  }
}
