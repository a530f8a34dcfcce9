import Foundation
import LarderHTTP
import LarderTesting
import Testing

extension NginxTests {
  /// Connections that nginx closes when it is done with them: after some requests, some silence, or when it is told to end.
  @Suite(.timeLimit(.minutes(2))) struct Connections {
    private let authority: TestCertificateAuthority
    private static let told = "location / { default_type application/json; return 200 '[\"$connection\"]'; }"

    init() throws { authority = try TestCertificateAuthority() }

    private func nginx(_ server: String) async throws -> Nginx {
      try await Nginx(authority.identity(), server: server + Self.told)
    }

    private func client(_ nginx: Nginx, _ version: Int) -> HTTPClient {
      .ofNginx(nginx.secure, authority, { $0.allowsHTTP2 = version == 2 })
    }

    /// A connection is good for so many requests: the one after them goes over another.
    @Test(arguments: [1, 2])
    func afterSomeRequests(_ version: Int) async throws {
      let nginx = try await nginx("keepalive_requests 7;")
      let client = client(nginx, version)
      // POST: nothing is tried again that may have arrived.
      var connections: [String] = []
      for number in 0..<50 {
        connections += try await client.request(Endpoint<[String]>.post("/\(number)", body: .text("a")))
      }
      #expect(Set(connections).count == 8)
    }

    /// The requests that share a connection when it ends are asked again, all together.
    @Test(arguments: [1, 2])
    func afterSomeRequestsOfManyAtOnce(_ version: Int) async throws {
      let nginx = try await nginx("keepalive_requests 200;")
      let client = client(nginx, version)
      let answers = try await client.many(2_000, atOnce: 50) { try await client.response(to: .get("/\($0)")) }
      #expect(answers.allSatisfy { $0.metrics.version == (version == 2 ? "2" : "1.1") })
    }

    /// Connections are closed while they are not used, at the moment at which they are to be used again, too.
    @Test(arguments: [1, 2], [true, false])
    func afterSilence(_ version: Int, _ isIdempotent: Bool) async throws {
      let nginx = try await nginx("keepalive_timeout 40ms;")
      let client = client(nginx, version)
      var failures = 0
      for number in 0..<30 {
        do throws(HTTPError) {
          _ = try await client.response(to: Endpoint<Void>(isIdempotent ? .put : .post, "/\(number)"))
        } catch {
          failures += 1
          #expect(error.kind == .maybeSent(.closedWhileIdle) && error.attempts == 1)
        }
        try await Task.sleep(for: .milliseconds(38 + number % 5))
      }
      if isIdempotent { #expect(failures == 0) }
      #expect(failures < 30)
    }

    /// nginx takes another configuration while requests are under way, and ends.
    @Test(arguments: [1, 2], [HTTPMethod.get, .post])
    func whileItIsToldToEnd(_ version: Int, _ method: HTTPMethod) async throws {
      let nginx = try await nginx("")
      // All fifty may meet a process that is told to end, each over a connection of its own that is new.
      var patient = HTTPClient.Configuration()
      patient.retry.budget = 1_000
      let client = HTTPClient.ofNginx(
        nginx.secure, authority, { $0.allowsHTTP2 = version == 2 }, configuration: patient)
      let reloads = Task {
        for _ in 0..<4 {
          try await Task.sleep(for: .milliseconds(50))
          try nginx.reload()
        }
      }
      let failures = try await client.many(2_000, atOnce: 50) { number in
        do throws(HTTPError) {
          let response = try await client.response(to: Endpoint<Void>(method, "/\(number)"))
          #expect(response.metrics.version == (version == 2 ? "2" : "1.1"))
          return 0
        } catch {
          // A connection of HTTP/2 may be told to end before its first request.
          #expect([.maybeSent(.closedWhileIdle), .maybeSent(.closed)].contains(error.kind))
          // What was not handled was sent again before.
          #expect(error.attempts == 1 || version == 2)
          return 1
        }
      }.reduce(0, +)
      try await reloads.value
      // At most what was under way each time that it was told.
      #expect(failures <= (method == .get ? 0 : 200))
      try nginx.quit()
      // Once it has gone, nobody listens any more, and no connection is left.
      var configuration = HTTPClient.Configuration()
      configuration.retry = .never
      let last = HTTPClient.ofNginx(nginx.secure, authority, configuration: configuration)
      var kind: HTTPError.Kind?
      while kind != .notSent(.connectionRefused) {
        do throws(HTTPError) { _ = try await last.response(to: .get("/end")) } catch { kind = error.kind }
      }
    }
  }
}
