import Foundation
import LarderHTTP
import LarderTesting
import Synchronization
import Testing

@Suite final class StreamTests: Sendable {
  private let reports = Mutex<[RequestReport]>([])
  private var seen: [RequestReport] { reports.withLock { $0 } }

  private func note(_ configuration: inout HTTPClient.Configuration) {
    configuration.metrics = { [self] report in reports.withLock { $0.append(report) } }
  }

  @Test func aStreamIsReportedWhenItEnds() async throws {
    let stub = TransportStub { request in
      request.url.path() == "/moved" ? .status(302, headers: ["Location": "/end"]) : .text("0123456789")
    }
    var configuration = HTTPClient.Configuration()
    note(&configuration)
    let client = HTTPClient(baseURL: URL(string: "https://h")!, configuration: configuration, transport: stub)
    let response = try await client.stream(.get("/moved"))
    #expect(seen.isEmpty)
    for try await _ in response.body {}
    #expect(seen.map(\.name) == ["GET /moved"] && seen.map(\.status) == [200] && seen[0].error == nil)
    #expect(seen[0].metrics.bodyBytes == 10 && seen[0].metrics.redirects == 1)
    #expect(response.body.metrics.redirects == 1)
    #expect(try await client.response(to: .get("/moved")).metrics.redirects == 1)
    #expect(seen.map(\.metrics.redirects) == [1, 1])

    // Whoever lets go of it has ended it.
    do { _ = try await client.stream(.get("/moved")) }
    #expect(seen.count == 3 && seen[2].error?.kind == .cancelled && seen[2].error?.request == "GET /moved")
  }

  @Test func aStreamThatBreaksOffSaysOfWhichRequest() async throws {
    let server = try ScriptedServer { number in
      number == 0
        ? [.receiveRequest, .send(Wire.json("{}", status: "502 No", headers: ["Connection: close"]))]
        : [.receiveRequest, .send("HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: 10\r\n\r\nabc")]
    }
    defer { server.stop() }
    let client = HTTPClient.ofFaults(server.url(), clock: TestClock(advancesAutomatically: true)) { note(&$0) }
    let response = try await client.stream(.get("/lines/\("7")"))
    let error = await failure { () async throws(HTTPError) in try await response.body.collect() }
    #expect(error?.kind == .interrupted(.truncated) && error?.delivery == .responded)
    #expect(error?.request == "GET /lines/{}" && error?.attempts == 2)
    #expect(error?.status == 200 && error?.headers["ETag"] == "\"1\"")
    #expect(seen.count == 1 && seen[0].error?.kind == error?.kind && seen[0].status == 200)
    #expect(seen[0].metrics.attempts == 2)
  }

  /// Also where a transport has measured nothing.
  @Test func aFailureIsReportedWithItsCounts() async throws {
    let stub = TransportStub { (request) async throws(HTTPError) in
      if request.url.path() == "/moved" { return .status(302, headers: ["Location": "/end"]) }
      throw HTTPError(.notSent(.connectionRefused), delivery: .notSent)
    }
    var configuration = HTTPClient.Configuration()
    configuration.dependencies.clock = TestClock(advancesAutomatically: true)
    note(&configuration)
    let client = HTTPClient(baseURL: URL(string: "https://h")!, configuration: configuration, transport: stub)
    _ = await failure { () async throws(HTTPError) in try await client.response(to: .get("/moved")) }
    #expect(seen.map(\.metrics.attempts) == [3] && seen.map(\.metrics.redirects) == [1])
  }
}
