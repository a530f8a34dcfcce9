import Foundation
import LarderHTTP
import LarderTesting
import Testing

extension NginxTests {
  /// Very many requests leave nothing behind: 500 at a time in the ordinary run, 10,000 in each of `ROUNDS`.
  @Suite(.timeLimit(.minutes(60))) struct Endurance {
    private static let rounds = ProcessInfo.processInfo.environment["ROUNDS"].flatMap { Int($0) }

    private let authority: TestCertificateAuthority

    init() throws { authority = try TestCertificateAuthority() }

    /// Every kind of request in turn, by its number, and what comes of it.
    private static func ask(_ number: Int, _ client: HTTPClient) async throws {
      switch number % 8 {
      case 0:
        let answer = try await client.response(to: .put("/put/\(number)", body: .data(Data(count: 20_000))))
        #expect(answer.head.isSuccess)
      case 1:
        // Let go of before its end.
        var pieces = try await client.stream(.get("/big")).body.makeAsyncIterator()
        #expect(try await pieces.next() != nil)
      case 2:
        let refused = await failure { () async throws(HTTPError) in try await client.response(to: .get("/none")) }
        #expect(refused?.kind == .unacceptableStatus(404))
      case 3:
        let task = Task { try? await client.response(to: .get("/slow")) }
        try await Task.sleep(for: .milliseconds(1))
        task.cancel()
        #expect(await task.value == nil)
      case 4:
        #expect(try await client.response(to: .get("/moved")).metrics.redirects == 1)
      case 5:
        let late = await failure { () async throws(HTTPError) in
          try await client.response(
            to: Endpoint<Void>.get("/slow").with { $0.deadlines = Deadlines(total: .milliseconds(2)) })
        }
        #expect(late?.kind == .deadline(.total))
      default: #expect(try await client.request(Endpoint<[Int]>.get("/small")) == [1])
      }
    }

    @Test(arguments: [1, 2])
    func nothingGrows(_ version: Int) async throws {
      let nginx = try await Nginx(
        authority.identity(),
        server: """
          location = /small { default_type application/json; return 200 [1]; }
          location = /moved { return 302 /small; }
          location = /none { return 404; }
          location = /slow { limit_rate 1; try_files /big =404; }
          location /put/ { dav_methods PUT; create_full_put_path on; }
          """)
      try nginx.write(Data(repeating: 0x20, count: 100_000), to: "big")
      let client = HTTPClient.ofNginx(nginx.secure, authority, { $0.allowsHTTP2 = version == 2 })
      let count = Self.rounds == nil ? 500 : 10_000
      func round() async throws -> ProcessUse {
        _ = try await client.many(count, atOnce: 50) { try await Self.ask($0, client) }
        // What was let go of is closed soon, by a thread of its own.
        try await Task.sleep(for: .milliseconds(200))
        return try ProcessUse.now()
      }
      // The first round makes connections, pools, threads and caches.
      let before = try await round()
      var after = before
      for _ in 0..<(Self.rounds ?? 2) { after = try await round() }
      print(
        "over HTTP/\(version): \((Self.rounds ?? 2) * count) requests, memory \(after.memory - before.memory) bytes,",
        "descriptors \(after.descriptors - before.descriptors)")
      // After few requests pools and caches are not full yet.
      #expect(after.memory - before.memory < (Self.rounds == nil ? 12 : 4) << 20)
      // Idle connections are kept, of which the first round may have left few. One for each of those that were let go of
      // would be 125 and more.
      let most = before.descriptors + CurlTransport.Options.defaultMaximumIdleConnections + 10
      for _ in 0..<100 where after.descriptors > most {
        try await Task.sleep(for: .milliseconds(200))
        after = try ProcessUse.now()
      }
      #expect(after.descriptors <= most)
    }
  }
}
