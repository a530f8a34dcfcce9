import ExampleSupport
import Foundation
import LarderHTTP
import LarderSecrets
import Synchronization
import Testing

@testable import payments
@testable import payments_bank

/// What a bank gives with a refresh.
@Suite struct SessionTests {
  private static let name = SecretName(service: "127.0.0.1", account: "refresh-token")

  private let folder: TemporaryFolder
  private let secrets = MemorySecretStore()
  private let clock = BankClock()

  init() throws { folder = try TemporaryFolder() }

  private func bank(_ change: (inout BankRules) -> Void) throws -> BankServer {
    var rules = BankRules()
    change(&rules)
    return try BankServer(rules: rules, firstToken: "first", directionKey: "key", now: { [clock] in clock.now })
  }

  private func container(_ bank: BankServer) throws -> DIContainer {
    let authority = folder.url.appending(path: "authority.pem")
    try bank.authority.write(to: authority)
    return try DIContainer(
      bank: BankEnvironment([
        "PAYMENTS_URL": bank.url("").absoluteString, "PAYMENTS_PINS": bank.pin, "PAYMENTS_AUTHORITY": authority.path,
      ]),
      secrets: secrets, store: folder.url.appending(path: "payments.store"), proxy: .none)
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
    // Who signs in on the page is served likewise.
    bank.tokens.end(next: "second")
    try await container.customer?.signIn(by: Secret("second"))
    try await container.paymentRepository.syncPayments()
    bank.stop()
  }
}

/// The bank's clock, which a test has go faster.
private final class BankClock: Sendable {
  private let ahead = Mutex<TimeInterval>(0)
  var now: Date { .now.addingTimeInterval(ahead.withLock { $0 }) }
  func pass(_ seconds: TimeInterval) { ahead.withLock { $0 += seconds } }
}
