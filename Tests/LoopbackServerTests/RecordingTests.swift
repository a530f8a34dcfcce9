import Foundation
import FoundationNetworking
import Testing

@testable import LoopbackServer

/// A server that runs for days keeps no more than it says.
@Suite struct RecordingTests {
  private func request(_ number: Int, bytes: Int = 0) -> LoopbackServer.Request {
    LoopbackServer.Request(
      method: .put, target: "/\(number)", path: "/\(number)", queryItems: [], headers: [:], body: Data(count: bytes))
  }

  @Test func onlyTheLastAreKept() {
    var recorded = RecordedRequests()
    for number in 0..<2_500 { recorded.add(request(number)) }
    #expect(recorded.all.count == LoopbackServer.recordedLimit)
    #expect(recorded.all.first?.path == "/1500" && recorded.all.last?.path == "/2499")
  }

  @Test func nothingIsKeptWhereThatIsSaid() async throws {
    for records in [true, false] {
      let server = try LoopbackServer(recordsRequests: records)
      server.route("/sign-in", method: .post) { .text(String(decoding: $0.body, as: UTF8.self)) }
      var request = URLRequest(url: server.url("/sign-in"))
      request.httpMethod = "POST"
      request.httpBody = Data("secret".utf8)
      let (answer, _) = try await URLSession.shared.data(for: request)
      #expect(answer == Data("secret".utf8) && server.requestCount("/sign-in") == 1)
      #expect(server.requests.map(\.body) == (records ? [Data("secret".utf8)] : []))
      server.stop()
    }
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
