import Encoders
import Foundation
import LarderHTTP
import LarderTesting
import Testing

/// Connections that fail at each byte in turn.
@Suite struct ProxyTests {
  private static let answer = Wire.json(#"["whole"]"#)

  /// How long a request is on the wire.
  private static let post = Endpoint<[String]>.post("/x", body: .json(["a": 1]))

  @Test(arguments: [FaultProxy.Fault.Kind.close, .reset])
  func anAnswerThatEndsAtEachByte(_ kind: FaultProxy.Fault.Kind) async throws {
    let answer = Self.answer
    let server = try ScriptedServer { _ in [.receiveRequest, .send(answer), .restart] }
    defer { server.stop() }
    for offset in 0...answer.utf8.count {
      let proxy = try FaultProxy(to: server.port) { _ in FaultProxy.Fault(kind, at: offset, .toClient) }
      defer { proxy.stop() }
      let client = HTTPClient.ofFaults(proxy.url(), clock: TestClock(advancesAutomatically: true)) { $0.retry = .never }
      let before = server.requests.count
      do throws(HTTPError) {
        #expect(try await client.request(Self.post) == ["whole"])
        #expect(offset == answer.utf8.count)
      } catch {
        #expect(offset < answer.utf8.count)
        // A reset may overtake what was sent before it; what is never so is that nothing was sent.
        #expect(error.delivery != .notSent)
        switch (error.kind, error.delivery) {
        case (.maybeSent, .maybeSent), (.interrupted, .responded): break
        default: Issue.record("at \(offset): \(error)")
        }
      }
      #expect(server.requests.count == before + 1)
    }
  }

  /// A body without a length ends with its connection: only its compression says whether that was its end.
  @Test func aCompressedAnswerThatEndsAtEachByte() async throws {
    let body = Encoded.gzip.data(Data(#"["whole"]"#.utf8))
    let head = Data("HTTP/1.0 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n\r\n".utf8)
    let server = try ScriptedServer { _ in [.receiveRequest, .sendData(head + body)] }
    defer { server.stop() }
    for offset in head.count...head.count + body.count {
      let proxy = try FaultProxy(to: server.port) { _ in FaultProxy.Fault(.close, at: offset, .toClient) }
      defer { proxy.stop() }
      let client = HTTPClient.ofFaults(proxy.url(), clock: TestClock(advancesAutomatically: true)) { $0.retry = .never }
      do throws(HTTPError) {
        #expect(try await client.request(Endpoint<[String]>.get("/x")) == ["whole"])
        #expect(offset == head.count + body.count)
      } catch {
        #expect(error.kind == .interrupted(.compression), "at \(offset)")
      }
    }
  }

  @Test func aRequestThatEndsAtEachByte() async throws {
    let answer = Self.answer
    let server = try ScriptedServer { _ in [.receiveRequest, .send(answer), .restart] }
    defer { server.stop() }
    var whole = 0
    for offset in stride(from: 0, through: 400, by: 1) where whole == 0 {
      let proxy = try FaultProxy(to: server.port) { _ in FaultProxy.Fault(.close, at: offset, .toServer) }
      defer { proxy.stop() }
      let client = HTTPClient.ofFaults(proxy.url(), clock: TestClock(advancesAutomatically: true))
      do throws(HTTPError) {
        #expect(try await client.request(Self.post) == ["whole"])
        whole = offset
      } catch {
        #expect(error.kind == .maybeSent(.closed))
        // Not sent again, since it is a POST.
        #expect(error.attempts == 1 && proxy.connectionCount == 1)
      }
    }
    #expect(whole > 100)
    #expect(server.requests.count == 1)
  }

  @Test(arguments: [UInt64.random(in: 0 ... .max)])
  func faultsAtRandomLoseAndDoubleNothing(_ seed: UInt64) async throws {
    let answer = Self.answer
    let server = try ScriptedServer { _ in [.receiveRequest, .send(answer), .restart] }
    let proxy = try FaultProxy(to: server.port, fault: FaultProxy.faults(seed: seed, share: 0.5, within: 0..<300))
    defer {
      proxy.stop()
      server.stop()
    }
    let client = HTTPClient.ofFaults(proxy.url(), clock: TestClock(advancesAutomatically: true)) { configuration in
      // What stalls is given up soon.
      configuration.deadlines = Deadlines(firstByte: .milliseconds(400), idle: .milliseconds(400))
      configuration.retry = RetryPolicy(attempts: 12, base: .milliseconds(1), budget: 10_000)
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<60 {
        group.addTask {
          let isKeyed = number.isMultiple(of: 2)
          let endpoint = Endpoint<[String]>.post("/\(number)", body: .json(["n": number])).with {
            if isKeyed { $0.idempotencyKey = "key-\(number)" }
          }
          do throws(HTTPError) {
            #expect(try await client.request(endpoint) == ["whole"])
          } catch {
            // With a key it gets there in the end; without one it may have, or not.
            #expect(!isKeyed, "seed \(seed): \(error)")
            #expect(error.delivery != .notSent)
          }
        }
      }
      try await group.waitForAll()
    }
    let seen = Dictionary(grouping: server.requests, by: \.target)
    for (target, requests) in seen {
      let isKeyed = requests[0].headers["idempotency-key"] != nil
      #expect(isKeyed || requests.count == 1, "seed \(seed): \(target)")
      #expect(Set(requests.map(\.body)).count == 1, "seed \(seed): \(target)")
    }
  }
}
