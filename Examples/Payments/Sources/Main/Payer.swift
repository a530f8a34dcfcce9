import ExampleSupport
import Foundation
import LarderHTTP
import LarderSecrets

/// Pays what a file asks for, and ends when each of it is paid or refused. Killed and started again it goes on.
struct Payer {
  let container: DIContainer
  let drafts: [PaymentDraft]

  private let token: Secret?

  /// The variable that has the key of the secret store, 32 bytes in Base64. On a server prefer a credential of systemd's.
  static let secretKey = "PAYMENTS_SECRET_KEY"

  init(_ settings: Settings, drafts: URL, environment: [String: String]) throws {
    guard let store = settings.store else { throw Misunderstood(description: "--pay needs a --store.") }
    // What is in memory here must be in no core.
    try ProcessHardening.disableCoreDumps()
    try ProgramLock.take(beside: store)

    var patience = PaymentSender.Patience()
    patience.order = settings.order
    patience.clocks = min(patience.clocks, settings.order / 10)
    patience.again = min(patience.again, settings.order / 20)
    let bank = try BankEnvironment(environment)
    token = bank.token
    container = try DIContainer(
      bank: bank,
      secrets: EncryptedFileSecretStore(file: Self.secrets(beside: store), key: .environment(Self.secretKey)),
      store: store, patience: patience,
      logger: HTTPLogger(level: .debug, handler: StandardErrorLog()))
    self.drafts = try DraftFile.read(drafts)
  }

  /// The file of the secret store.
  static func secrets(beside store: URL) -> URL {
    store.deletingPathExtension().appendingPathExtension("secrets")
  }

  func run() async throws {
    // One that is there already may be newer than the variable: the bank may have given another since.
    if let token, let session = container.session, try await !session.isSignedIn { try await session.signIn(token) }
    try await container.desk.begin()
    for draft in drafts { _ = try await container.desk.accept(draft) }
    // Whoever wants to know that it is at work.
    Terminal.put("paying")
    try await PaymentQueue(sender: container.sender).empty()
    Terminal.put(String(decoding: try JSONEncoder().encode(try await container.desk.count()), as: UTF8.self))
  }
}
