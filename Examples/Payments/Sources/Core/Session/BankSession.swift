import ExampleSupport
import Foundation
import LarderHTTP
import LarderSecrets
import Synchronization

/// The customer's session with the bank. What signs in is a secret, and is in the secret store: in memory only while that
/// does not take it. The tokens that come of it are nowhere but in memory.
struct BankSession: BearerTokenSource {
  private struct Pair: Codable, Sendable {
    var accessToken: String
    /// Nil, or empty, where the one that there is stays good (RFC 6749, section 6).
    var refreshToken: String?
    /// Nil where the bank does not say (section 5.1).
    var expiresIn: Double?

    func next(after key: String) -> String { refreshToken.flatMap { $0.isEmpty ? nil : $0 } ?? key }
  }

  let secrets: any SecretStore
  /// For the session's own requests, which show no token.
  let client: HTTPClient
  /// Is told, in sentences, what somebody has to mend beside the session.
  var tell: @Sendable (String) -> Void = { Terminal.say($0) }
  private let memory = SessionMemory()

  /// Whether there is something to sign in by.
  var isSignedIn: Bool {
    get async throws(SecretError) { try await secrets.secret(for: name) != nil }
  }

  /// Where the bank is.
  var place: String {
    (client.baseURL.host() ?? "bank") + (client.baseURL.port.map { ":\($0)" } ?? "")
  }

  /// How often somebody has signed in since the program began: whose accounts the bank shows may be another's after it.
  var signIns: Int { memory.signIns }
  /// Whether the bank has accepted what signs in since the program began.
  var wasAccepted: Bool { memory.wasAccepted }

  private var name: SecretName {
    SecretName(service: client.baseURL.host() ?? "bank", account: "refresh-token")
  }

  /// What the environment had last to sign in by. What somebody signs in by elsewhere leaves it: else a variable that
  /// stays the same, and is old by then, would count as another one.
  private var variable: SecretName {
    SecretName(service: client.baseURL.host() ?? "bank", account: "given")
  }

  /// The customer signs in, by what the bank gave them for it. Whether it is good is seen with the first request.
  func signIn(_ secret: Secret) async throws(SecretError) {
    try await secrets.set(secret, for: name)
    memory.unkept = nil
  }

  /// What came of a secret that the environment has.
  enum Trial: Sendable, Hashable {
    /// It is the one of the last time, and changes nothing: what the secret store has since may be newer.
    case known
    /// The customer is signed in by it.
    case signedIn
    /// The bank does not know it. The session goes on that there was; the same is not tried again.
    case refused
    /// The bank could not be asked. The session goes on that there was.
    case notAsked
  }

  /// The customer signs in by what the environment has, once. It may be older than the session, or mistyped: where there
  /// is a session the bank is asked first, and what it does not know takes the place of nothing.
  func signInOnce(_ secret: Secret) async throws(SecretError) -> Trial {
    guard try await isSignedIn else {
      memory.noteSignIn()
      try await signIn(secret)
      try await note(secret)
      return .signedIn
    }
    if try await secrets.secret(for: variable) == secret { return .known }
    let grant: Grant
    do {
      grant = try await self.grant(for: secret)
    } catch SignInFailure.refused {
      try await note(secret)
      return .refused
    } catch {
      return .notAsked
    }
    memory.noteSignIn()
    if await keepOrHold(grant.next) { try await note(secret) }
    return .signedIn
  }

  /// Remembers what the environment has, after somebody has signed in by it.
  func note(_ secret: Secret) async throws(SecretError) { try await secrets.set(secret, for: variable) }

  /// What the bank gives to a customer who signs in.
  struct Grant: Sendable {
    let token: BearerToken
    fileprivate let next: Secret
  }

  /// The customer signs in while the program runs. What the bank refuses takes the place of nothing: what it gives is
  /// stored by ``keep(_:)`` alone.
  func grant(for secret: Secret) async throws -> Grant {
    do {
      let key = secret.text() ?? ""
      let pair = try await ask(key)
      return Grant(token: token(pair), next: Secret(pair.next(after: key)))
    } catch let error as HTTPError where error.status == 400 || error.status == 401 {
      throw SignInFailure.refused
    }
  }

  func keep(_ grant: Grant) async throws(SecretError) {
    memory.noteSignIn()
    try await signIn(grant.next)
  }

  /// What signs in is for one use with some banks, and with others stays good. Which it is shows when the bank has given
  /// another one: from then on none is shown twice while the program runs.
  var rotatesRefreshTokens: Bool { memory.rotates }

  func token() async throws -> BearerToken? {
    // None outlives the program; one that has expired has another one asked for.
    try await stored().map { _ in BearerToken("none", lifetime: .zero) }
  }

  func refresh(_ old: BearerToken) async throws -> BearerToken {
    guard let secret = try await stored(), let key = secret.text() else { throw CredentialsRejectedError() }
    let pair = try await ask(key)
    let next = pair.next(after: key)
    if next != key { memory.rotates = true }
    if next != key || memory.unkept != nil { _ = await keepOrHold(Secret(next)) }
    return token(pair)
  }

  /// Keeps what signs in next. The bank may know nothing else any more, so where the secret store does not take it the
  /// session goes on by what is in memory, and it is tried again with the next refresh.
  ///
  /// - Returns: Whether it is kept.
  private func keepOrHold(_ next: Secret) async -> Bool {
    do throws(SecretError) {
      try await signIn(next)
      return true
    } catch {
      memory.unkept = next
      tell(
        "What signs in to the bank next could not be kept in the secret store. \(error) The session goes on while this "
          + "program runs, and it is tried again; if it is not kept by then, sign in again by --sign-in.")
      return false
    }
  }

  /// What signs in. A secret store that is locked says nothing of it, however often it is asked: that signs nobody out.
  private func stored() async throws(CredentialsUnavailableError) -> Secret? {
    if let secret = memory.unkept { return secret }
    do {
      return try await secrets.secret(for: name)
    } catch {
      throw CredentialsUnavailableError(error.summary, advice: error.advice, underlying: error)
    }
  }

  private func ask(_ key: String) async throws -> Pair {
    let body = try JSONEncoder.standardEncoder.encode(["refresh_token": key])
    let pair = try await client.request(Endpoint<Pair>.post("/v1/tokens", body: .data(body, type: "application/json")))
    memory.wasAccepted = true
    return pair
  }

  private func token(_ pair: Pair) -> BearerToken {
    BearerToken(pair.accessToken, expiresIn: pair.expiresIn)
  }
}

/// What a session knows while the program runs. Safe to use from any thread.
private final class SessionMemory: Sendable {
  private struct State {
    var unkept: Secret?
    var wasAccepted = false
    var rotates = false
    var signIns = 0
  }

  private let state = Mutex(State())

  /// What signs in next, while the secret store does not take it.
  var unkept: Secret? {
    get { state.withLock { $0.unkept } }
    set { state.withLock { $0.unkept = newValue } }
  }

  var signIns: Int { state.withLock { $0.signIns } }
  func noteSignIn() { state.withLock { $0.signIns += 1 } }

  var rotates: Bool {
    get { state.withLock { $0.rotates } }
    set { state.withLock { $0.rotates = newValue } }
  }

  var wasAccepted: Bool {
    get { state.withLock { $0.wasAccepted } }
    set { state.withLock { $0.wasAccepted = newValue } }
  }
}
