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

  /// Whoever asks may make up targets and fields of any length.
  @Test func theirTargetsAndFieldsAreBounded() {
    var recorded = RecordedRequests()
    let long = String(repeating: "x", count: 1 << 20)
    for number in 0..<100 {
      recorded.add(
        LoopbackServer.Request(
          method: .get, target: "/\(number)\(long)", path: "/\(number)", queryItems: [], headers: ["a": long],
          body: Data()))
    }
    #expect(recorded.all.count == 15 && recorded.all.last?.path == "/99")
  }

  /// Nor do paths that nobody has made a route for add up.
  @Test func countsAreBounded() {
    var counts = RequestCounts()
    counts.add("/a")
    for number in 0..<100_000 { counts.add("/\(number)\(String(repeating: "x", count: 1_000))") }
    counts.add("/a")
    #expect(counts.byPath["/a"] == 2)
    let size = counts.byPath.keys.reduce(0) { $0 + $1.utf8.count }
    #expect(size <= RequestCounts.byteLimit && size > RequestCounts.byteLimit / 2)
  }

  /// A server for anybody on the machine takes no body of which it would hold much.
  @Test func bodiesAreRefusedWhereNoneIsWanted() async throws {
    let server = try LoopbackServer(port: 0, bodyLimit: 1_000)
    defer { server.stop() }
    server.route("/", method: .post) { .text("\($0.body.count)") }
    for (length, status) in [(1_000, 200), (1_001, 413), (5_000_000, 413)] {
      var request = URLRequest(url: server.url("/"))
      request.httpMethod = "POST"
      let (_, answer) = try await URLSession.shared.upload(for: request, from: Data(count: length))
      #expect((answer as? HTTPURLResponse)?.statusCode == status)
    }
    #expect(server.requests.isEmpty)
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
