import Foundation
import LarderHTTP
import LarderSecrets

/// The customer's session with the bank. What signs in is a secret, and is nowhere but in the secret store; the tokens that
/// come of it are nowhere but in memory.
struct BankSession: BearerTokenSource {
  private struct Pair: Codable, Sendable {
    var accessToken: String
    var refreshToken: String
    var expiresIn: Double
  }

  let secrets: any SecretStore
  /// For the session's own requests, which show no token.
  let client: HTTPClient

  /// A day: what the bank says is not believed beyond that.
  private static let longestLifetime = 86_400.0

  /// Whether there is something to sign in by.
  var isSignedIn: Bool {
    get async throws(SecretError) { try await secrets.secret(for: name) != nil }
  }

  private var name: SecretName {
    SecretName(service: client.baseURL.host() ?? "bank", account: "refresh-token")
  }

  /// The customer signs in, by what the bank gave them for it.
  func signIn(_ secret: Secret) async throws(SecretError) {
    try await secrets.set(secret, for: name)
  }

  func token() async throws -> BearerToken? {
    // None outlives the program; one that has expired has another one asked for.
    try await secrets.secret(for: name).map { _ in BearerToken("none", lifetime: .zero) }
  }

  func refresh(_ old: BearerToken) async throws -> BearerToken {
    guard let secret = try await secrets.secret(for: name), let key = secret.text() else { throw CredentialsRefused() }
    let body = try JSONEncoder.standardEncoder.encode(["refresh_token": key])
    let pair = try await client.request(
      Endpoint<Pair>.post("/v1/tokens", body: .data(body, type: "application/json")))
    if pair.refreshToken != key { try await signIn(Secret(pair.refreshToken)) }
    return BearerToken(pair.accessToken, lifetime: .seconds(min(max(0, pair.expiresIn), Self.longestLifetime)))
  }
}
