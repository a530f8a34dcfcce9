import Foundation
import LarderHTTP
import LarderTesting
import Synchronization
import Testing

/// `Expect: 100-continue`, where a request has it: the body waits for leave (RFC 9110, section 10.1.1).
@Suite struct ExpectTests {
  private func put(_ server: ScriptedServer, _ sent: @escaping @Sendable (Int64) -> Void) -> HTTPRequest {
    HTTPRequest(.put, server.url(), headers: ["Expect": "100-continue"], body: .text("body")).with {
      $0.uploadProgress = { sent($0.bytes) }
    }
  }

  @Test func aBodyWaitsForLeave() async throws {
    let server = try ScriptedServer { _ in
      [
        .receiveHead, .wait(.milliseconds(50)), .send("HTTP/1.1 100 Continue\r\n\r\n"), .receive(bytes: 4),
        .send(Wire.response()),
      ]
    }
    defer { server.stop() }
    let began = ContinuousClock.now
    let sentAfter = Mutex<Duration?>(nil)
    let response = try await CurlTransport.direct().exchange(
      put(server) { bytes in
        if bytes > 0 { sentAfter.withLock { $0 = $0 ?? began.duration(to: .now) } }
      })
    #expect(response.status == 200 && server.requests.first?.headers["expect"] == "100-continue")
    #expect(try #require(sentAfter.withLock { $0 }) >= .milliseconds(50))
  }

  @Test func aBodyThatIsRefusedIsNotSent() async throws {
    let server = try ScriptedServer { _ in
      [.receiveHead, .send(Wire.response(status: "417 Expectation Failed", headers: ["Connection: close"]))]
    }
    defer { server.stop() }
    let sent = Mutex<Int64>(0)
    let response = try await CurlTransport.direct().exchange(put(server) { bytes in sent.withLock { $0 = bytes } })
    #expect(response.status == 417 && sent.withLock { $0 } == 0)
  }
}
