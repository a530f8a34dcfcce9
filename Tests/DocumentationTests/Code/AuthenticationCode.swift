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
    guard let kept = try await vault.kept() else { throw CredentialsRejectedError() }
    // Another process of this user has refreshed meanwhile.
    if kept.accessToken != old.value { return BearerToken(kept.accessToken, expiry: kept.expiry) }
    let granted = try await client.request(.refresh(kept.refreshToken))
    return try await vault.keep(granted)
  }
}
// snippet end

// snippet: oauth endpoint
struct OAuthGrant: Decodable, Sendable {
  var accessToken: String
  var expiresIn: Double?
  /// A refresh may give none: the one that was shown stays good then.
  var refreshToken: String?

  enum CodingKeys: String, CodingKey {
    case accessToken = "access_token"
    case expiresIn = "expires_in"
    case refreshToken = "refresh_token"
  }
}

extension Endpoint where Response == OAuthGrant {
  static func oauthRefresh(_ token: String) -> Self {
    let fields = [("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", "app")]
    return .post("/oauth/token", body: .form(fields.map { URLQueryItem(name: $0, value: $1) }))
      .with { $0.authentication = .none }
  }
}
// snippet end

struct OAuthTokens: BearerTokenSource {
  let vault: SessionVault
  let client: HTTPClient
  var rotatesRefreshTokens: Bool { true }

  func token() async throws -> BearerToken? {
    try await vault.kept().map { BearerToken($0.accessToken, expiry: $0.expiry) }
  }

  // snippet: oauth refresh
  func refresh(_ old: BearerToken) async throws -> BearerToken {
    guard let kept = try await vault.kept() else { throw CredentialsRejectedError() }
    let grant = try await client.request(.oauthRefresh(kept.refreshToken))
    return try await vault.keep(
      Granted(
        accessToken: grant.accessToken, refreshToken: grant.refreshToken ?? kept.refreshToken,
        expiresIn: grant.expiresIn))
  }
  // snippet end
}

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
      // A keyring that is locked, or a damaged file, says nothing of the session. Its words have no secret in them.
      throw CredentialsUnavailableError(error.summary, advice: error.advice, underlying: error)
    }
    // What an earlier version of the app kept, and this one cannot read, is no session: the user signs in.
    return secret?.withBytes { try? JSONDecoder().decode(Kept.self, from: Data($0)) }
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
