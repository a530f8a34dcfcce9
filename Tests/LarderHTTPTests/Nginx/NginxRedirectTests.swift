import Foundation
import LarderHTTP
import LarderTesting
import Testing

extension NginxTests {
  /// Redirects by the dozen over connections that they share: what a session crashes on.
  @Suite(.timeLimit(.minutes(2))) struct Redirects {
    private static let told = #"""
      default_type application/json;
      return 200 '["$server_protocol","$request_method","$request_uri","$http_authorization","$http_cookie","$http_x_key","$http_x_other"]';
      """#

    /// Where each answers, by way of how many redirects, with or without what is secret.
    private func redirected(over version: Int, status: Int, crossing: Bool) async throws {
      let authority = try TestCertificateAuthority()
      let nginx = try await Nginx(
        authority.identity(),
        server: """
          location /far/ { return \(status) $other/end$uri?$args; }
          location /near/ { return \(status) /again$uri?$args; }
          location /again/ { return \(status) /end$uri?$args; }
          location /end/ { \(Self.told) }
          """,
        other: "location /end/ { \(Self.told) }")
      var configuration = HTTPClient.Configuration()
      configuration.secretHeaders = ["X-Key"]
      configuration.headers["Authorization"] = "Bearer secret"
      let client = HTTPClient.ofNginx(
        nginx.secure, authority, { $0.allowsHTTP2 = version == 2 }, configuration: configuration)
      let path = crossing ? "far" : "near"
      _ = try await client.many(400, atOnce: 50) { number in
        let endpoint = Endpoint<[String]>.post(
          "/\(path)/\(number)", query: [URLQueryItem(name: "q", value: "\(number)")]
        )
        .with {
          $0.headers = ["Cookie": "c", "X-Key": "k", "X-Other": "o"]
          $0.idempotencyKey = "key-\(number)"
          // nginx ends kept connections now and then, and the key does not go to another origin.
          $0.isIdempotent = crossing
          $0.content = .text("body")
        }
        let response = try await client.response(to: endpoint)
        let seen = try JSONDecoder().decode([String].self, from: response.body)
        let method = status == 303 ? "GET" : "POST"
        let end = crossing ? "/end/far/\(number)" : "/end/again/near/\(number)"
        #expect(seen[...2] == ["HTTP/\(version == 2 ? "2.0" : "1.1")", method, "\(end)?q=\(number)"])
        #expect(seen[3...] == (crossing ? ["", "", "", "o"] : ["Bearer secret", "c", "k", "o"]))
        #expect(response.metrics.redirects == (crossing ? 1 : 2))
        #expect(response.head.url.port == (crossing ? nginx.other : nginx.secure).port)
      }
    }

    @Test(arguments: [1, 2], [true, false])
    func fiftyAtOnce(_ version: Int, _ crossing: Bool) async throws {
      for status in [307, 303] { try await redirected(over: version, status: status, crossing: crossing) }
    }
  }
}
