import Foundation
import Larder
import LarderSecrets

// snippet: granted
struct Granted: Codable, Sendable {
  var accessToken: String
  var refreshToken: String
  /// Not an `Int`: what a server sends may be any number.
  var expiresIn: Double?

  var token: BearerToken { BearerToken(accessToken, expiresIn: expiresIn) }
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
  let vault: SessionVault
  let client: HTTPClient

  /// This server takes a refresh token back when it is used.
  var rotatesRefreshTokens: Bool { true }

  func token() async throws -> BearerToken? {
    try await vault.kept().map { BearerToken($0.accessToken, expiry: $0.expiry) }
  }

  func refresh(_ old: BearerToken) async throws -> BearerToken {
    guard let kept = try await vault.kept() else { throw CredentialsRefused() }
    let granted = try await client.request(.refresh(kept.refreshToken))
    return try await vault.keep(granted)
  }
}
// snippet end

// snippet: vault
struct SessionVault: Sendable {
  struct Kept: Codable, Sendable {
    var accessToken: String
    var refreshToken: String
    /// A date. A lifetime would begin anew whenever it is read.
    var expiry: Date?
  }

  let secrets: any SecretStore
  private let name = SecretName(service: "api.example", account: "session")

  init(_ secrets: any SecretStore) { self.secrets = secrets }

  func kept() async throws -> Kept? {
    let secret: Secret?
    do {
      secret = try await secrets.secret(for: name)
    } catch {
      // A keyring that is locked says nothing of the session.
      throw CredentialsUnavailable(underlying: error)
    }
    return try secret?.withBytes { try JSONDecoder().decode(Kept.self, from: Data($0)) }
  }

  func keep(_ granted: Granted) async throws -> BearerToken {
    let token = granted.token
    let kept = Kept(accessToken: token.value, refreshToken: granted.refreshToken, expiry: token.expiry)
    try await secrets.set(Secret(try JSONEncoder().encode(kept)), for: name)
    return token
  }

  func forget() async throws { try await secrets.remove(name) }
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
