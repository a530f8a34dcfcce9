import Foundation
import Larder

// snippet: granted
struct Granted: Codable, Sendable {
  var accessToken: String
  var refreshToken: String
  var expiresIn: Int

  var token: BearerToken { BearerToken(accessToken, lifetime: .seconds(expiresIn)) }
}
// snippet end

// snippet: session endpoints
extension Endpoint where Response == Granted {
  static func signIn(user: String, password: String) -> Self {
    .post("/v1/session", body: .json(["user": user, "password": password])).with { $0.authentication = .none }
  }

  static func refresh(_ key: String) -> Self {
    .post("/v1/session/refresh", body: .json(["key": key])).with { $0.authentication = .none }
  }
}
// snippet end

// snippet: source
struct SessionTokens: BearerTokenSource {
  /// Keeps what was granted where the system keeps secrets.
  let vault: any Vault
  let client: HTTPClient

  func token() async throws -> BearerToken? { try await vault.granted()?.token }

  func refresh(_ old: BearerToken) async throws -> BearerToken {
    guard let known = try await vault.granted() else { throw CredentialsRefused() }
    let granted = try await client.request(.refresh(known.refreshToken))
    try await vault.keep(granted)
    return granted.token
  }
}
// snippet end

// snippet: vault
protocol Vault: Sendable {
  func granted() async throws -> Granted?
  func keep(_ granted: Granted) async throws
}
// snippet end

// snippet: api key
struct APIKey: RequestAuthentication {
  let key: String

  func authorize(_ request: inout HTTPRequest) async throws(HTTPError) {
    request.headers["X-API-Key"] = key
  }
}
// snippet end
