import Foundation
import Testing

@testable import LoopbackServer

/// A server that runs for days keeps no more than it says.
@Suite struct RecordingTests {
  private func request(_ number: Int, bytes: Int = 0) -> LoopbackServer.Request {
    LoopbackServer.Request(method: .put, path: "/\(number)", query: [:], headers: [:], body: Data(count: bytes))
  }

  @Test func onlyTheLastAreKept() {
    var recorded = RecordedRequests()
    for number in 0..<2_500 { recorded.add(request(number)) }
    #expect(recorded.all.count == LoopbackServer.recordedLimit)
    #expect(recorded.all.first?.path == "/1500" && recorded.all.last?.path == "/2499")
  }

  @Test func theirBodiesAreBounded() {
    var recorded = RecordedRequests()
    for number in 0..<6 { recorded.add(request(number, bytes: 15 << 20)) }
    #expect(recorded.all.map(\.path) == ["/2", "/3", "/4", "/5"])
    recorded.add(request(6, bytes: RecordedRequests.byteLimit + 1))
    #expect(recorded.all.isEmpty)
    recorded.add(request(7))
    #expect(recorded.all.map(\.path) == ["/7"])
  }
}
