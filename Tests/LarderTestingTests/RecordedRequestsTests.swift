import Foundation
import FoundationNetworking
import LarderTesting
import Testing

/// What a loopback server was asked.
@Suite struct RecordedRequestsTests {
  @Test func requestsAreRecorded() async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    server.route("/a", method: .put) { _ in .text("ok") }
    for number in 0..<3 {
      var request = URLRequest(url: server.url("/a?n=\(number)"))
      request.httpMethod = "PUT"
      request.httpBody = Data("body \(number)".utf8)
      request.setValue("Bearer \(number)", forHTTPHeaderField: "Authorization")
      _ = try await URLSession.shared.data(for: request)
    }
    _ = try await URLSession.shared.data(from: server.url("/none"))
    let requests = server.requests
    #expect(requests.map(\.path) == ["/a", "/a", "/a", "/none"])
    #expect(requests.prefix(3).map(\.body) == (0..<3).map { Data("body \($0)".utf8) })
    #expect(requests.prefix(3).map { $0.headers["authorization"] } == ["Bearer 0", "Bearer 1", "Bearer 2"])
    #expect(requests[2].query == ["n": "2"] && requests[2].method == .put)
  }
}
