import Foundation
import LarderHTTP
import LarderTesting
import Testing

extension NginxTests {
  /// What an exchange is with a server that we did not write: HTTP/2, many streams, compression, ranges, bodies.
  @Suite(.timeLimit(.minutes(2))) struct Exchanges {
    private let authority: TestCertificateAuthority

    init() throws { authority = try TestCertificateAuthority() }

    private func nginx(_ server: String) async throws -> Nginx {
      try await Nginx(authority.identity(), server: server)
    }

    private func client(_ url: URL, _ change: (inout CurlTransport.Options) -> Void = { _ in }) -> HTTPClient {
      .ofNginx(url, authority, change)
    }

    /// `protocol`, `connection` and what else nginx saw, told by it.
    private static let seen = #"return 200 '["$server_protocol","$connection","$request_method","$request_uri"]';"#

    @Test func theProtocolThatIsSpoken() async throws {
      let nginx = try await nginx("location / { default_type application/json; \(Self.seen) }")
      for (url, allowsHTTP2, version) in [
        (nginx.secure, true, "2"), (nginx.secure, false, "1.1"), (nginx.plain, true, "1.1"),
      ] {
        let response = try await client(url) { $0.allowsHTTP2 = allowsHTTP2 }.response(
          to: .get("/\("a b")", query: [URLQueryItem(name: "c", value: "é")]))
        #expect(response.metrics.version == version)
        let seen = try JSONDecoder().decode([String].self, from: response.body)
        #expect(seen[0] == (version == "2" ? "HTTP/2.0" : "HTTP/1.1"))
        #expect(seen[2...] == ["GET", "/a%20b?c=%C3%A9"])
        #expect(response.metrics.tls > .zero || url.scheme == "http")
      }
    }

    /// 100 at once are what both sides take on one connection.
    @Test func manyStreamsOnOneConnection() async throws {
      let nginx = try await nginx("location / { default_type application/json; \(Self.seen) }")
      let client = client(nginx.secure)
      let answers = try await client.many(1_000, atOnce: 50) { number in
        let seen = try await client.request(Endpoint<[String]>.get("/\(number)"))
        #expect(seen[0] == "HTTP/2.0" && seen[3] == "/\(number)")
        return seen[1]
      }
      #expect(Set(answers).count == 1)
    }

    @Test func compressedAnswers() async throws {
      let nginx = try await nginx(
        "gzip on; gzip_types application/json; gzip_min_length 1; types { application/json json; }")
      let text = "[" + (0..<20_000).map { "\"\($0 % 10)\"" }.joined(separator: ",") + "]"
      try nginx.write(Data(text.utf8), to: "list.json")
      for url in [nginx.plain, nginx.secure] {
        let response = try await client(url).response(to: .get("/list.json"))
        #expect(response.headers["Content-Encoding"] == "gzip" && response.body == Data(text.utf8))
        #expect(response.metrics.bodyBytes == Int64(text.utf8.count))
        #expect(response.metrics.bytesReceived * 10 < response.metrics.bodyBytes)
        let plain = try await client(url).response(
          to: Endpoint<Void>.get("/list.json").with { $0.headers["Accept-Encoding"] = "identity" })
        #expect(plain.headers["Content-Encoding"] == nil && plain.body == Data(text.utf8))
        #expect(plain.metrics.bytesReceived > plain.metrics.bodyBytes)
      }
    }

    /// A stream of which only the beginning is read holds up none of those beside it.
    @Test func largeRefusalsBesideAnswers() async throws {
      let nginx = try await nginx(
        """
        gzip on; gzip_types *; gzip_min_length 1; error_page 404 /zeros;
        location / { default_type application/json; \(Self.seen) }
        location /zeros { }
        location /refused { return 404; }
        """)
      try nginx.write(Data(count: 20 << 20), to: "zeros")
      let client = client(nginx.secure)
      let answers = try await client.many(200, atOnce: 20) { number in
        if number % 4 == 0 {
          let error = await failure { () async throws(HTTPError) in
            try await client.request(Endpoint<[String]>.get("/refused"))
          }
          #expect(error?.kind == .unacceptableStatus(404) && error?.body == Data(count: HTTPError.errorBodyLimit))
          return ""
        }
        return try await client.request(Endpoint<[String]>.get("/\(number)"))[1]
      }
      #expect(Set(answers).count == 2)
    }

    @Test func ranges() async throws {
      let nginx = try await nginx("")
      let whole = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
      try nginx.write(whole, to: "whole")
      for url in [nginx.plain, nginx.secure] {
        let client = client(url)
        func part(_ range: String, ifRange tag: String? = nil) async throws(HTTPError) -> HTTPResponse {
          try await client.response(
            to: Endpoint<Void>.get("/whole").with {
              $0.headers["Range"] = range
              $0.headers["If-Range"] = tag
            })
        }
        let first = try await part("bytes=0-99999")
        #expect(first.status == 206 && first.headers["Content-Range"] == "bytes 0-99999/300000")
        let rest = try await part("bytes=100000-", ifRange: first.headers["ETag"])
        #expect(rest.status == 206 && first.body + rest.body == whole)
        #expect(try await part("bytes=-5").body == whole.suffix(5))
        // It is another file by now: all of it comes.
        let other = try await part("bytes=100000-", ifRange: "\"other\"")
        #expect(other.status == 200 && other.body == whole)
        let beyond = await failure { () async throws(HTTPError) in try await part("bytes=300000-") }
        #expect(beyond?.kind == .unacceptableStatus(416) && beyond?.headers["Content-Range"] == "bytes */300000")
      }
    }

    @Test(arguments: [0, 1, 60_000, 70_000, 3_000_000])
    func bodiesThatAreSentUp(_ size: Int) async throws {
      let nginx = try await nginx(
        "client_max_body_size 10m; location /put/ { dav_methods PUT; create_full_put_path on; }")
      let whole = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
      let bodies: [(String, RequestBody)] = [
        ("data", .data(whole)),
        ("known", .stream(length: Int64(size), type: "x/y") { Self.parts(of: whole) }),
        ("unknown", .stream(type: "x/y") { Self.parts(of: whole) }),
      ]
      for url in [nginx.plain, nginx.secure] {
        for expects in [false, true] {
          for (name, body) in bodies {
            let file = "\(name)-\(url.scheme ?? "")-\(expects)"
            let response = try await client(url).response(
              to: Endpoint<Void>.put("/put/\(file)", body: body).with {
                if expects { $0.headers["Expect"] = "100-continue" }
              })
            #expect(response.status == 201, "\(file)")
            #expect(try Data(contentsOf: nginx.files.appending(path: "put/" + file)) == whole, "\(file)")
            #expect(response.metrics.bytesSent > Int64(size))
          }
        }
      }
    }

    /// Over HTTP/2 nginx gives no leave, and nobody waits for it: libcurl would for a second.
    @Test(arguments: [1, 100_000]) func nobodyWaitsForLeaveOverHTTP2(_ size: Int) async throws {
      let nginx = try await nginx(
        "location /put/ { dav_methods PUT; create_full_put_path on; }")
      let client = client(nginx.secure)
      var quickest = Duration.seconds(9)
      for _ in 0..<3 {
        let endpoint = Endpoint<Void>.put("/put/x", body: .data(Data(count: size))).with {
          $0.headers["Expect"] = "100-continue"
        }
        quickest = min(quickest, try await client.response(to: endpoint).metrics.total)
      }
      #expect(quickest < .milliseconds(900))
    }

    /// nginx answers without having read the body, and resets the stream (RFC 9113, section 8.1).
    @Test(arguments: [20_000, 200_000]) func anAnswerBeforeTheBodyIsRead(_ size: Int) async throws {
      let nginx = try await nginx("location / { return 200 ok; } location = /big { error_page 405 =200 $uri; }")
      try nginx.write(Data(count: 100_000), to: "big")
      let client = client(nginx.secure)
      for (path, count) in [("x", 2), ("big", 100_000)] {
        let answers = try await client.many(3, atOnce: 1) { _ in
          try await client.response(
            to: Endpoint<Void>.post("/\(path)", body: .data(Data(count: size))))
        }
        #expect(answers.allSatisfy { $0.status == 200 && $0.body.count == count })
      }
    }

    private static func parts(of whole: Data) -> AsyncStream<Data> {
      AsyncStream { continuation in
        for start in stride(from: 0, to: whole.count, by: 40_000) {
          continuation.yield(whole[start..<min(start + 40_000, whole.count)])
        }
        continuation.finish()
      }
    }
  }
}

extension HTTPClient {
  static func ofNginx(
    _ url: URL, _ authority: TestCertificateAuthority, _ change: (inout CurlTransport.Options) -> Void = { _ in },
    configuration: Configuration = Configuration()
  ) -> HTTPClient {
    let transport = CurlTransport.direct { options in
      options.trustRoots = .only(pem: authority.certificate)
      change(&options)
    }
    return HTTPClient(baseURL: url, configuration: configuration, transport: transport)
  }

  /// Does something a number of times, some at once.
  func many<Result: Sendable>(
    _ count: Int, atOnce: Int, _ work: @escaping @Sendable (Int) async throws -> Result
  ) async throws -> [Result] {
    try await withThrowingTaskGroup(of: Result.self) { group in
      var results: [Result] = []
      for number in 0..<count {
        if number >= atOnce, let result = try await group.next() { results.append(result) }
        group.addTask { try await work(number) }
      }
      for try await result in group { results.append(result) }
      return results
    }
  }
}
