import ExampleSupport
import Foundation
import LarderTesting

/// The bank on loopback, over TLS.
final class BankServer: Sendable {
  let ledger: Ledger
  let tokens: Tokens
  let behaviour = Behaviour()
  /// The certificate of the authority that vouches for the bank, in PEM.
  let authority: Data
  /// What clients pin: the SHA-256 of the bank's SubjectPublicKeyInfo, in Base64.
  let pin: String
  private let server: FaultServer

  /// Starts one.
  ///
  /// - Parameters:
  ///   - rules: How it behaves.
  ///   - accounts: What is on each account before any payment.
  ///   - books: Where they are kept; nil for books in memory.
  ///   - firstToken: By which its customer signs in.
  ///   - directionKey: By which it is directed.
  ///   - now: Its clock.
  init(
    rules: BankRules = BankRules(), accounts: [String: Decimal] = BankServer.accounts, books: Books? = nil,
    firstToken: String, directionKey: String, now: @escaping @Sendable () -> Date = { .now }
  ) throws {
    let authority = try TestCertificateAuthority(name: "Loopback Bank Authority")
    let identity = try authority.identity()
    self.authority = authority.certificate
    pin = identity.publicKeySHA256.base64EncodedString()
    ledger = Ledger(
      rules: rules, accounts: accounts, payments: try books?.read() ?? [],
      keep: { payments in
        do { try books?.write(payments) } catch { Terminal.say("The books could not be written: \(error)") }
      }, now: now)
    tokens = Tokens(first: firstToken, rules: rules, now: now)
    let party = Party(bank: try books?.name() ?? UUID().uuidString, customer: rules.customer)
    let api = BankAPI(
      ledger: ledger, tokens: tokens, party: party, limit: RateLimit(rules.requestsPerSecond, now: now), now: now)
    let direction = Direction(key: directionKey, ledger: ledger, behaviour: behaviour, tokens: tokens)
    server = try FaultServer(
      identity: identity, faults: FaultPlan { [behaviour] _, request in behaviour.fault(for: request) }, now: now
    ) { request in
      direction.answer(request) ?? api.answer(request)
    }
  }

  /// One that is rich, and one that is not.
  static let accounts: [String: Decimal] = ["acc-1": 1_000_000, "acc-2": 10]

  var port: UInt16 { server.port }

  func url(_ path: String = "/") -> URL { server.url(path) }

  func stop() { server.stop() }
}
