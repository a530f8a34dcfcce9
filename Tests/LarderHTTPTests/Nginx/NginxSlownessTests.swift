import Foundation
import LarderHTTP
import LarderTesting
import Testing

extension NginxTests {
  /// Whoever reads or writes slowly holds nobody else up, and is not read ahead for.
  @Suite(.timeLimit(.minutes(2))) struct Slowness {
    private let authority: TestCertificateAuthority
    private let small = Endpoint<Void>.get("/x").with { $0.deadlines = Deadlines(total: .seconds(20)) }

    init() throws { authority = try TestCertificateAuthority() }

    /// Streams of HTTP/2 that nobody reads would be 32 MiB of memory each, and some more transfers would fail with them.
    @Test func slowReaders() async throws {
      let size = 60_000_000
      let nginx = try await Nginx(authority.identity(), server: "location = /x { return 200 x; }")
      try nginx.write(Data(repeating: 7, count: size), to: "large")
      let client = HTTPClient.ofNginx(nginx.secure, authority)
      #expect(try await client.response(to: small).metrics.version == "2")
      let before = try ProcessUse.now()
      var slow: [ResponseBody.Iterator] = []
      for _ in 0..<10 {
        slow.append(try await client.stream(.get("/large")).body.makeAsyncIterator())
        _ = try await slow[slow.count - 1].next()
      }
      for _ in 0..<3 {
        let answers = try await client.many(300, atOnce: 20) { _ in try await client.response(to: small) }
        #expect(answers.allSatisfy { $0.metrics.version == "2" && $0.body == Data("x".utf8) })
        for place in slow.indices { _ = try await slow[place].next() }
      }
      let after = try ProcessUse.now()
      #expect(after.memory < before.memory + 32 << 20)
      var count = 0
      while let piece = try await slow[0].next() { count += piece.count }
      #expect(count < size && count > size / 2)
    }

    /// A body that is waited for leaves its connection of HTTP/2 to others.
    @Test func slowWriters() async throws {
      let nginx = try await Nginx(
        authority.identity(),
        server: "location = /x { return 200 x; } location /put/ { dav_methods PUT; create_full_put_path on; }")
      let client = HTTPClient.ofNginx(nginx.secure, authority)
      let (parts, source) = AsyncStream.makeStream(of: Data.self)
      let upload = Task { @Sendable in
        try await client.response(to: .put("/put/slow", body: .stream(type: "x/y") { @Sendable in parts }))
      }
      var whole = Data()
      for number in 0..<5 {
        let part = Data(repeating: UInt8(number), count: 50_000)
        whole += part
        source.yield(part)
        let answers = try await client.many(100, atOnce: 20) { _ in try await client.response(to: small) }
        #expect(answers.allSatisfy { $0.metrics.version == "2" })
      }
      source.finish()
      #expect(try await upload.value.metrics.version == "2")
      #expect(try Data(contentsOf: nginx.files.appending(path: "put/slow")) == whole)
    }
  }
}
