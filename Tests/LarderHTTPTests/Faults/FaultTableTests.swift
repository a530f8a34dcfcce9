import Foundation
import LarderHTTP
import LarderTesting
import Synchronization
import Testing

/// Which error, how many attempts, when, and what the server saw: each row over real sockets.
@Suite struct FaultTableTests {
  @Test(arguments: Fault.all.flatMap(\.rows))
  func row(_ row: Fault.Row) async throws {
    let server = try ScriptedServer(row.fault.script)
    defer { server.stop() }
    let clock = TestClock(advancesAutomatically: true)
    let client = HTTPClient.ofFaults(server.url(), clock: clock) { $0.deadlines = row.fault.deadlines }
    let error = await failure { () async throws(HTTPError) in try await client.request(row.request.endpoint) }
    guard let error else { return }
    #expect(error.kind == row.fault.kind)
    #expect(error.delivery == row.fault.delivery)
    #expect(error.status == row.fault.status)
    #expect(error.attempts == row.attempts)
    #expect(error.request == row.request.endpoint.name)
    #expect(clock.sleeps == Array(row.fault.waits.prefix(row.attempts - 1)))
    guard row.fault.isSeen else { return }
    let requests = server.requests
    #expect(requests.count == row.attempts * row.fault.exchanges)
    #expect(Set(requests.map(\.method)) == [row.request.endpoint.method.rawValue])
    // The same each time.
    #expect(Set(requests.map(\.body)).count == 1)
    #expect(Set(requests.map { $0.headers["idempotency-key"] }) == [row.request == .keyedPost ? "key-1" : nil])
  }

  @Test(arguments: Fault.Request.allCases)
  func nobodyListens(_ request: Fault.Request) async throws {
    let closed = try ClosedPort()
    let clock = TestClock(advancesAutomatically: true)
    // Nothing was sent: any method is tried again.
    let client = HTTPClient.ofFaults(closed.url, clock: clock)
    let error = await failure { () async throws(HTTPError) in try await client.request(request.endpoint) }
    #expect(error?.kind == .notSent(.connectionRefused))
    #expect(error?.delivery == .notSent)
    #expect(error?.attempts == 3)
    #expect(clock.sleeps == [.milliseconds(250), .milliseconds(500)])
  }

  @Test(arguments: Fault.Request.allCases)
  func whatFailsOnceSucceedsWhereItMayBeSentAgain(_ request: Fault.Request) async throws {
    let server = try ScriptedServer { number in
      number == 0 ? [.receiveRequest, .reset] : [.receiveRequest, .send(Wire.json(#"["done"]"#))]
    }
    defer { server.stop() }
    let client = HTTPClient.ofFaults(server.url(), clock: TestClock(advancesAutomatically: true))
    if request == .post || request == .patch {
      let error = await failure { () async throws(HTTPError) in try await client.request(request.endpoint) }
      #expect(error?.kind == .maybeSent(.closed))
      #expect(server.requests.count == 1)
    } else {
      #expect(try await client.request(request.endpoint) == ["done"])
      #expect(server.requests.count == 2)
    }
  }

  /// 303: what was asked for was done, and where its answer is fails twice. That alone is asked for again, by any method.
  @Test(arguments: Fault.Request.allCases)
  func onlyTheAnswerOfWhatWasDoneIsAskedForAgain(_ request: Fault.Request) async throws {
    let count = Mutex(0)
    let server = try FaultServer { asked in
      guard asked.target == "/answer" else { return .status(303, headers: ["Location": "/answer"]) }
      return count.withLock { count in
        count += 1
        return count < 3 ? .status(503) : .json(#"["done"]"#)
      }
    }
    defer { server.stop() }
    let clock = TestClock(advancesAutomatically: true)
    let client = HTTPClient.ofFaults(server.url(), clock: clock)
    #expect(try await client.request(request.endpoint) == ["done"])
    #expect(clock.sleeps == [.milliseconds(250), .milliseconds(500)])
    let requests = server.requests
    let isDoneOnce = request != .get
    #expect(requests.map(\.target).count { $0 == "/answer" } == 3)
    #expect(requests.count == (isDoneOnce ? 4 : 6))
    #expect(requests.dropFirst().allSatisfy { $0.method == "GET" && $0.body.isEmpty })
  }

  /// Nor does it use up the last attempt.
  @Test func aKeptConnectionThatIsClosedAtTheLastAttempt() async throws {
    let server = try ScriptedServer { number in
      number == 0
        ? [.receiveRequest, .send(Wire.json("{}", status: "503 No")), .receiveRequest, .reset]
        : [.receiveRequest, .send(Wire.json("{}"))]
    }
    defer { server.stop() }
    let client = HTTPClient.ofFaults(server.url(), clock: TestClock(advancesAutomatically: true)) {
      $0.retry = RetryPolicy(attempts: 2)
    }
    let response = try await client.response(to: .get("/x"))
    // libcurl may have begun a connection in between.
    let connections = server.requests.map(\.connection)
    #expect(response.metrics.attempts == 3 && connections.dropLast() == [0, 0] && connections.last != 0)
  }

  @Test(arguments: Fault.Request.allCases)
  func aKeptConnectionThatTheServerCloses(_ request: Fault.Request) async throws {
    let answer = Wire.json(#"["done"]"#)
    let server = try ScriptedServer { number in
      // The first connection answers once, takes the next request, and closes.
      number == 0 ? [.receiveRequest, .send(answer), .receiveRequest, .reset] : [.receiveRequest, .send(answer)]
    }
    defer { server.stop() }
    let clock = TestClock(advancesAutomatically: true)
    let client = HTTPClient.ofFaults(server.url(), clock: clock)
    #expect(try await client.request(Endpoint<[String]>.get("/first")) == ["done"])
    if request == .post || request == .patch {
      let error = await failure { () async throws(HTTPError) in try await client.request(request.endpoint) }
      #expect(error?.kind == .maybeSent(.closedWhileIdle))
      #expect(error?.delivery == .maybeSent)
      // It was seen once, not sent again behind anybody's back.
      #expect(server.requests.map(\.connection) == [0, 0])
    } else {
      #expect(try await client.request(request.endpoint) == ["done"])
      let connections = server.requests.map(\.connection)
      #expect(connections.count == 3 && connections.prefix(2) == [0, 0] && connections[2] != 0)
    }
    // What was wrong was not the server.
    #expect(clock.sleeps.isEmpty)
  }

  @Test func aFailureThatMayHaveArrivedIsNotForgotten() async throws {
    let count = Mutex(0)
    let stub = TransportStub { (_) async throws(HTTPError) in
      count.withLock { $0 += 1 }
      throw count.withLock { $0 } == 1
        ? HTTPError(.maybeSent(.closed), delivery: .maybeSent)
        : HTTPError(.notSent(.connectionRefused), delivery: .notSent)
    }
    var configuration = HTTPClient.Configuration()
    configuration.dependencies.clock = TestClock(advancesAutomatically: true)
    let client = HTTPClient(baseURL: URL(string: "https://h")!, configuration: configuration, transport: stub)
    let error = await failure { () async throws(HTTPError) in try await client.request(Fault.Request.put.endpoint) }
    // Nothing of the last attempt was sent, but of the first one.
    #expect(error?.kind == .maybeSent(.connectionRefused))
    #expect(error?.delivery == .maybeSent && error?.attempts == 3)
    #expect(error?.description.contains("safe to send it again") == false)
  }

  /// Nor that a server failed, which may have acted before that; what says that nothing was done is another matter.
  @Test(arguments: [(502, HTTPError.Delivery.maybeSent), (425, .notSent)])
  func aFailureOfTheServerIsNotForgotten(_ status: Int, _ delivery: HTTPError.Delivery) async throws {
    let count = Mutex(0)
    let stub = TransportStub { (_) async throws(HTTPError) in
      count.withLock { $0 += 1 }
      if count.withLock({ $0 }) == 1 { return .status(status) }
      throw HTTPError(.deadline(.connect), delivery: .notSent)
    }
    var configuration = HTTPClient.Configuration()
    configuration.dependencies.clock = TestClock(advancesAutomatically: true)
    let client = HTTPClient(baseURL: URL(string: "https://h")!, configuration: configuration, transport: stub)
    let error = await failure { () async throws(HTTPError) in try await client.request(Fault.Request.put.endpoint) }
    #expect(error?.kind == .deadline(.connect) && error?.delivery == delivery)
    #expect(error?.advice.contains("nothing was sent") == (delivery == .notSent))
  }
}

extension HTTPClient {
  /// One with limits that a test can pass, half of each wait, and a clock of its own.
  static func ofFaults(
    _ url: URL, clock: TestClock, transport: CurlTransport = .direct(),
    _ change: (inout Configuration) -> Void = { _ in }
  ) -> HTTPClient {
    var configuration = Configuration()
    configuration.deadlines = Deadlines(
      connect: .seconds(60), firstByte: .seconds(60), idle: .seconds(60), total: .seconds(900))
    configuration.limits = Limits(body: 10_000, decompressedBody: 50_000, headers: 4_000)
    configuration.dependencies = HTTPDependencies(clock: clock, now: { Fault.now }, random: { 0.5 })
    change(&configuration)
    return HTTPClient(baseURL: url, configuration: configuration, transport: transport)
  }
}
