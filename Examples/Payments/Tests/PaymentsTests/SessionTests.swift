import ExampleSupport
import Foundation
import LarderHTTP
import LarderSecrets
import Synchronization
import Testing

@testable import payments
@testable import payments_bank

/// What a bank gives with a refresh, and what becomes of the session where that cannot be kept.
@Suite struct SessionTests {
  private static let name = SecretName(service: "127.0.0.1", account: "refresh-token")

  private let folder: TemporaryFolder
  private let secrets = FullStore()
  private let told = Said()
  private let clock = BankClock()

  init() throws { folder = try TemporaryFolder() }

  private func bank(_ change: (inout BankRules) -> Void) throws -> BankServer {
    var rules = BankRules()
    change(&rules)
    return try BankServer(rules: rules, firstToken: "first", directionKey: "key", now: { [clock] in clock.now })
  }

  private func container(_ bank: BankServer) throws -> DIContainer {
    return try DIContainer(
      bank: BankEnvironment(bank.environment(in: folder)),
      secrets: secrets, store: folder.url.appending(path: "payments.store"), proxy: .none,
      tell: { [told] in told.add($0) })
  }

  /// Neither has to be in an answer: what was there to refresh by stays good, and the bank says when the token is not.
  @Test(arguments: BankRules.Renewal.allCases, [true, false])
  func aTokenIsRefreshedWhateverIsSaidWithIt(_ renewal: BankRules.Renewal, _ tellsLifetime: Bool) async throws {
    let bank = try bank {
      $0.renewal = renewal
      $0.tellsTokenLifetime = tellsLifetime
    }
    let container = try container(bank)
    try await container.session?.signIn(Secret("first"))
    for refreshes in 1...3 {
      try await container.paymentRepository.syncPayments()
      #expect(bank.tokens.refreshes == refreshes)
      // By its own clock the program knows nothing of that, and is refused.
      clock.pass(bank.ledger.rules.tokenLifetime + 1)
    }
    #expect(try await (secrets.secret(for: Self.name) == Secret("first")) == (renewal != .new))
    #expect(container.session?.rotatesRefreshTokens == (renewal == .new))
    #expect(told.all.isEmpty)
    // Who signs in on the page is served likewise.
    bank.tokens.end(next: "second")
    try await container.customer?.signIn(by: Secret("second"))
    try await container.paymentRepository.syncPayments()
    bank.stop()
  }

  /// The bank knows nothing else any more: the session goes on, also longer than one token.
  @Test func whatCannotBeKeptEndsNoSession() async throws {
    let bank = try bank { $0.renewal = .new }
    let container = try container(bank)
    try await container.session?.signIn(Secret("first"))
    secrets.isFull = true
    for times in 1...2 {
      try await container.paymentRepository.syncPayments()
      #expect(told.all.count == times)
      clock.pass(bank.ledger.rules.tokenLifetime + 1)
    }
    let words = try #require(told.all.first)
    #expect(words.hasPrefix("What signs in to the bank next could not be kept in the secret store. "), "\(words)")
    #expect(words.contains("has room") && words.contains("sign in again by --sign-in"), "\(words)")
    #expect(!words.contains("rt-"), "\(words)")
    #expect(try await secrets.secret(for: Self.name) == Secret("first"))
    // There is room again.
    secrets.isFull = false
    try await container.paymentRepository.syncPayments()
    #expect(told.all.count == 2)
    // Another run of the program knows it.
    try await self.container(bank).paymentRepository.syncPayments()
    bank.stop()
  }

  /// Nor does what the environment has, where the bank has taken it.
  @Test func aVariableThatCannotBeKeptSignsIn() async throws {
    let bank = try bank { $0.renewal = .new }
    let container = try container(bank)
    let session = try #require(container.session)
    #expect(try await session.signInOnce(Secret("first")) == .signedIn)
    bank.tokens.end(next: "second")
    secrets.isFull = true
    #expect(try await session.signInOnce(Secret("second")) == .signedIn)
    try await container.paymentRepository.syncPayments()
    #expect(told.all.count == 2)
    bank.stop()
  }

  /// What is said of a code that was not shown to the bank is true whether or not there is a session.
  @Test func aCodeThatCannotBeShownSaysNothingOfTheSession() async throws {
    let bank = try bank { _ in }
    let container = try container(bank)
    try await container.session?.signIn(Secret("first"))
    try await container.paymentRepository.syncPayments()
    bank.stop()
    let failure = await #expect(throws: SignInFailure.self) {
      try await container.customer?.signIn(by: Secret("first"))
    }
    #expect(
      failure?.description
        == "The bank cannot be asked about this code just now, and nothing is changed by it. Try it again.")
  }
}

/// What somebody was told.
private final class Said: Sendable {
  private let state = Mutex<[String]>([])
  var all: [String] { state.withLock { $0 } }
  func add(_ words: String) { state.withLock { $0.append(words) } }
}

/// The bank's clock, which a test has go faster.
private final class BankClock: Sendable {
  private let ahead = Mutex<TimeInterval>(0)
  var now: Date { .now.addingTimeInterval(ahead.withLock { $0 }) }
  func pass(_ seconds: TimeInterval) { ahead.withLock { $0 += seconds } }
}

/// A secret store on a disk that may be full.
private final class FullStore: SecretStore {
  private let store = MemorySecretStore()
  private let state = Mutex(false)

  var isFull: Bool {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  func secret(for name: SecretName) async throws(SecretError) -> Secret? { try await store.secret(for: name) }
  func set(_ secret: Secret, for name: SecretName) async throws(SecretError) {
    if isFull { throw .system(.write, file: "my.secrets", errno: ENOSPC) }
    try await store.set(secret, for: name)
  }
  func remove(_ name: SecretName) async throws(SecretError) { try await store.remove(name) }
  func names(of service: String) async throws(SecretError) -> [SecretName] { try await store.names(of: service) }
}
