import Foundation
import LarderHTTP
import LarderTesting
import Testing

/// Where a body ends: what is cut off must not be taken for whole, whoever reads it how.
@Suite(.timeLimit(.minutes(2))) struct FramingAnswerTests {
  private func exchange(_ fields: [String], _ body: String, status: String = "200 OK") async throws -> Result<
    HTTPResponse, HTTPError
  > {
    let text = (["HTTP/1.1 " + status, "Content-Type: application/json"] + fields).joined(separator: "\r\n")
    let server = try ScriptedServer { _ in [.receiveRequest, .send(text + "\r\n\r\n" + body)] }
    defer { server.stop() }
    let client = HTTPClient.ofFaults(server.url(), clock: TestClock(advancesAutomatically: true)) { $0.retry = .never }
    do throws(HTTPError) {
      return .success(try await client.response(to: .get("/x")))
    } catch {
      return .failure(error)
    }
  }

  @Test(
    arguments: [
      // Chunks end where they say so, whatever a length says.
      (["Content-Length: 9", "Transfer-Encoding: chunked"], "9\r\n[\"a\",\"b\"]\r\n", .truncated),
      (["Content-Length: 0", "Transfer-Encoding: chunked"], "", .truncated),
      (["Content-Length: 5", "Content-Length: 10"], "[1,2]", .malformed),
      (["Content-Length: 10", "Content-Length: 5"], "[1,2,3456]", .malformed),
      (["Content-Length: 5, 10"], "[1,2]", .malformed), (["Content-Length: 5abc"], "[1,2]", .malformed),
      (["Content-Length: 0x10"], "[1,2]", .malformed), (["Content-Length: 5\r\n 0"], "[1,2]", .malformed),
      (["Content-Length: 99999999999999999999"], "[1,2]", .malformed),
      // What libcurl does not take for the length is one.
      (["Content-Length : 10"], "[1,2]", .truncated),
      (["Transfer-Encoding: identity", "Content-Length: 10"], "[1,2]", .truncated),
      (["Transfer-Encoding : chunked"], "5\r\n[1,2]\r\n0\r\n\r\n", .malformed),
      (["Transfer-Encoding: gzip"], "[1,2]", .malformed),
      (["Transfer-Encoding: gzip, chunked"], "0\r\n\r\n", .malformed),
    ] as [([String], String, ConnectionFailure)])
  func whatIsNotWhole(_ fields: [String], _ body: String, _ failure: ConnectionFailure) async throws {
    guard case .failure(let error) = try await exchange(fields, body) else {
      Issue.record("taken for whole")
      return
    }
    #expect(error.kind == .interrupted(failure) && error.delivery == .responded && error.status == 200)
  }

  @Test(
    arguments: [
      (["Content-Length: 5", "Content-Length: 5"], "[1,2]"), (["Content-Length: 5, 05"], "[1,2]"),
      (["Content-Length : 5"], "[1,2]"), (["Transfer-Encoding: identity", "Content-Length: 5"], "[1,2]"),
      (["Content-Length: 99", "Transfer-Encoding: Chunked"], "5\r\n[1,2]\r\n0\r\n\r\n"), ([], "[1,2]"),
    ] as [([String], String)])
  func whatIsWhole(_ fields: [String], _ body: String) async throws {
    let response = try await exchange(fields, body).get()
    #expect(response.body == Data("[1,2]".utf8))
  }

  /// A refusal is one, whatever its body is.
  @Test func aRefusalHolds() async throws {
    guard case .failure(let error) = try await exchange(["Content-Length: 1, 2"], "a", status: "409 Conflict") else {
      Issue.record("succeeded")
      return
    }
    #expect(error.kind == .unacceptableStatus(409) && error.body.isEmpty)
  }

  /// What is known with the head is told with it: a stream does not begin, and may be asked for again.
  @Test(arguments: ["Content-Length: 1, 2", "Content-Length: 10001"]) func aStreamThatCannotBe(_ field: String)
    async throws
  {
    let server = try ScriptedServer { _ in [.receiveRequest, .send("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n"), .stall] }
    defer { server.stop() }
    let client = HTTPClient.ofFaults(server.url(), clock: TestClock(advancesAutomatically: true)) {
      $0.retry = RetryPolicy(attempts: 2)
    }
    let endpoint = Endpoint<Void>.get("/x").with { $0.limits = Limits(body: 10_000) }
    let error = await failure { () async throws(HTTPError) in try await client.stream(endpoint) }
    let isUnclear = field.contains(",")
    #expect(error?.kind == (isUnclear ? .interrupted(.malformed) : .tooLarge(.body(limit: 10_000))))
    #expect(error?.status == 200 && error?.attempts == (isUnclear ? 2 : 1))
  }

  /// What is too large or unclear of a refusal changes nothing of that.
  @Test func aRefusalThatIsTooLarge() async throws {
    guard case .failure(let error) = try await exchange(["Content-Length: 99999"], "a", status: "404 Not Found") else {
      Issue.record("succeeded")
      return
    }
    #expect(error.kind == .unacceptableStatus(404))
  }

  /// What has no body says how long it would be, in whatever way.
  @Test func noBodyHasNoEnd() async throws {
    let server = try ScriptedServer { _ in
      [.receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 7\r\nContent-Length: 9\r\n\r\n")]
    }
    defer { server.stop() }
    let client = HTTPClient.ofFaults(server.url(), clock: TestClock(advancesAutomatically: true))
    #expect(try await client.response(to: Endpoint<Void>.head("/x")).body.isEmpty)
  }

  /// A part that nobody has asked for is not the whole.
  @Test func aPartThatNobodyAskedFor() async throws {
    let fields = ["Content-Range: bytes 0-4/100", "Content-Length: 5"]
    guard case .failure(let error) = try await exchange(fields, "[1,2]", status: "206 Partial Content") else {
      Issue.record("taken for whole")
      return
    }
    #expect(error.kind == .unacceptableStatus(206) && error.delivery == .responded && error.attempts == 1)
    #expect(error.advice.contains("part"))
  }
}
