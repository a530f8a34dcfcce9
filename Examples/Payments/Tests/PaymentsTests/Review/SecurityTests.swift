import ExampleSupport
import Foundation
import LarderHTTP
import LarderSecrets
import LarderTesting
import Synchronization
import Testing

@testable import payments
@testable import payments_bank

/// The review list's "Security" block: a test for each line, named after it.
@Suite struct SecurityTests {
  private static let firstToken = "canary-first-token"

  private let bank: BankServer
  private let secrets = MemorySecretStore()
  private let folder: TemporaryFolder

  init() throws {
    bank = try BankServer(firstToken: Self.firstToken, directionKey: "key")
    folder = try TemporaryFolder()
  }

  /// The program, with a real network to the bank of this test.
  private func container(pins: String? = nil, secrets: (any SecretStore)? = nil, log: (any LogHandler)? = nil) throws
    -> DIContainer
  {
    var environment = try bank.environment(in: folder)
    if let pins { environment["PAYMENTS_PINS"] = pins }
    return try DIContainer(
      bank: BankEnvironment(environment), secrets: secrets ?? self.secrets,
      store: folder.url.appending(path: "payments.store"), logger: log.map { HTTPLogger(level: .debug, handler: $0) },
      proxy: .none)
  }

  @Test func noAPIKeysInCode() throws {
    for (name, text) in try Sources.all() {
      // What looks like one: long, without a blank, and of letters and digits.
      for literal in text.matches(of: /"([A-Za-z0-9+\/=_\-]{20,})"/).map(\.output.1) {
        let isKey = literal.contains(where: \.isNumber) && literal.contains(where: \.isLetter)
        #expect(!isKey, "\(name): \(literal)")
      }
      #expect(!text.contains("BEGIN PRIVATE KEY") && !text.contains("Basic "), "\(name)")
    }
    // Without the environment there is no bank: none is named in the code.
    for variable in [BankEnvironment.Variable.url, .pins] {
      var environment = ["PAYMENTS_URL": "https://bank.example", "PAYMENTS_PINS": bank.pin]
      environment[variable.rawValue] = nil
      let error = #expect(throws: Misunderstood.self) { try BankEnvironment(environment) }
      #expect(error?.description == "\(variable.rawValue) is not set.")
    }
    #expect(throws: Misunderstood.self) {
      try BankEnvironment(["PAYMENTS_URL": "http://bank.example", "PAYMENTS_PINS": bank.pin])
    }
  }

  @Test func certificatePinningEnabled() async throws {
    let other = Data(repeating: 7, count: 32).base64EncodedString()
    for (pins, isGood) in [(bank.pin, true), ("\(other),\(bank.pin)", true), (other, false)] {
      let container = try container(pins: pins)
      try await container.session?.signIn(Secret(Self.firstToken))
      if isGood {
        try await container.paymentRepository.syncPayments()
      } else {
        let error = await #expect(throws: NetworkError.self) { try await container.paymentRepository.syncPayments() }
        guard case .untrusted = error else {
          Issue.record("\(String(describing: error))")
          continue
        }
      }
    }
    bank.stop()
  }

  @Test func authTokensInKeychain() async throws {
    let file = folder.url.appending(path: "payments.secrets")
    let store = EncryptedFileSecretStore(file: file, key: try .random())
    let container = try container(secrets: store)
    try await container.session?.signIn(Secret(Self.firstToken))
    _ = try await container.paymentRepository.createPayment(Scene.draft())
    // It is there, and in no file as it is: neither in the store, nor in its log, nor in that of the secrets.
    let name = SecretName(service: "127.0.0.1", account: "refresh-token")
    #expect(try await store.secret(for: name) == Secret(Self.firstToken))
    let files = try FileManager.default.contentsOfDirectory(at: folder.url, includingPropertiesForKeys: nil)
    #expect(files.count >= 3)
    for file in files {
      #expect(try Data(contentsOf: file).range(of: Data(Self.firstToken.utf8)) == nil, "\(file.lastPathComponent)")
    }
    bank.stop()
  }

  @Test func noSensitiveDataLogged() async throws {
    let log = Log()
    let container = try container(log: log)
    try await container.session?.signIn(Secret(Self.firstToken))
    let draft = PaymentDraft(
      name: "one", accountId: "acc-1", recipientName: "Canary Name", recipientAccountNumber: "DE99CANARY",
      amount: try #require(Decimal(string: "98765.43")), currency: "EUR", description: "canary words")
    let payment = try await container.paymentRepository.createPayment(draft)
    var refused = draft
    refused.name = "two"
    refused.accountId = "acc-2"
    let failure = await #expect(throws: PaymentFailure.self) {
      try await container.paymentRepository.createPayment(refused)
    }
    bank.stop()
    let offline = await #expect(throws: (any Error).self) { try await container.paymentRepository.syncPayments() }
    let said =
      log.text + "\(String(describing: failure)) \(String(describing: offline))" + String(reflecting: container)
    #expect(log.text.contains("POST /v1/payments"))
    for canary in [
      Self.firstToken, "at-", "Canary Name", "DE99CANARY", "98765.43", "canary words", payment.reference,
    ] {
      #expect(!said.contains(canary), "\(canary)")
    }
  }

  /// A refresh that is always refused ends in words, and nothing of the queue is lost.
  @Test func whoIsNotSignedInLosesNothing() async throws {
    let container = try container()
    try await container.session?.signIn(Secret("another"))
    await #expect(throws: PaymentFailure.needsSignIn) {
      try await container.paymentRepository.createPayment(Scene.draft())
    }
    #expect(container.authentication?.state == .needsSignIn)
    // Who waits for all to be paid is told, and does not wait for ever.
    await #expect(throws: PaymentFailure.needsSignIn) { try await PaymentQueue(sender: container.sender).empty() }
    #expect(try await container.desk.order("first")?.state == .waiting)
    #expect(bank.ledger.payments.isEmpty)

    try await container.session?.signIn(Secret(Self.firstToken))
    let token = try await container.session?.refresh(BearerToken("none"))
    await container.authentication?.signIn(with: try #require(token))
    try await PaymentQueue(sender: container.sender).empty()
    #expect(bank.ledger.payments.count == 1)
    bank.stop()
  }

  /// It is the request for a token that has failed: of the payment nothing was sent.
  @Test func aTokenThatCannotBeHadSaysNothingOfThePayment() async throws {
    let container = try container()
    try await container.session?.signIn(Secret(Self.firstToken))
    #expect(bank.behaviour.obey(.init(faults: ["status"], share: 1, seed: 1)))
    await #expect(throws: (any Error).self) { try await container.paymentRepository.createPayment(Scene.draft()) }
    #expect(try await container.desk.order("first")?.state == .waiting)
    #expect(bank.behaviour.obey(.well))
    try await PaymentQueue(sender: container.sender).empty()
    #expect(bank.ledger.payments.count == 1)
    bank.stop()
  }
}

/// Keeps what is logged.
private final class Log: LogHandler {
  private let entries = Mutex<[String]>([])
  var text: String { entries.withLock { $0.joined(separator: "\n") } }
  func log(_ entry: LogEntry) { entries.withLock { $0.append(entry.message.text) } }
}
