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

  /// What the customer was given, as they were given it: what the bank gave for it since is another secret.
  private var given: SecretName {
    SecretName(service: client.baseURL.host() ?? "bank", account: "given")
  }

  /// The customer signs in, by what the bank gave them for it. Whether it is good is seen with the first request.
  func signIn(_ secret: Secret) async throws(SecretError) {
    try await secrets.set(secret, for: name)
    try await secrets.set(secret, for: given)
  }

  /// The same, unless that is by what they have signed in last: what the secret store has since may be newer.
  func signInOnce(_ secret: Secret) async throws(SecretError) {
    if try await isSignedIn, try await secrets.secret(for: given) == secret { return }
    try await signIn(secret)
  }

  /// What the bank gives to a customer who signs in.
  struct Grant: Sendable {
    let token: BearerToken
    fileprivate let given: Secret
    fileprivate let next: Secret
  }

  /// The customer signs in while the program runs. What the bank refuses takes the place of nothing: what it gives is
  /// stored by ``keep(_:)`` alone.
  func grant(for secret: Secret) async throws -> Grant {
    do {
      let pair = try await ask(secret.text() ?? "")
      return Grant(token: token(pair), given: secret, next: Secret(pair.refreshToken))
    } catch let error as HTTPError where error.status == 400 || error.status == 401 {
      throw SignInFailure.refused
    }
  }

  func keep(_ grant: Grant) async throws(SecretError) {
    try await secrets.set(grant.next, for: name)
    try await secrets.set(grant.given, for: given)
  }

  func token() async throws -> BearerToken? {
    // None outlives the program; one that has expired has another one asked for.
    try await secrets.secret(for: name).map { _ in BearerToken("none", lifetime: .zero) }
  }

  func refresh(_ old: BearerToken) async throws -> BearerToken {
    guard let secret = try await secrets.secret(for: name), let key = secret.text() else { throw CredentialsRefused() }
    let pair = try await ask(key)
    if pair.refreshToken != key { try await secrets.set(Secret(pair.refreshToken), for: name) }
    return token(pair)
  }

  private func ask(_ key: String) async throws -> Pair {
    let body = try JSONEncoder.standardEncoder.encode(["refresh_token": key])
    return try await client.request(Endpoint<Pair>.post("/v1/tokens", body: .data(body, type: "application/json")))
  }

  private func token(_ pair: Pair) -> BearerToken {
    BearerToken(pair.accessToken, lifetime: .seconds(min(max(0, pair.expiresIn), Self.longestLifetime)))
  }
}
