import ExampleSupport
import Foundation
import LarderHTTP
import LarderSecrets
import SwiftData
import Synchronization

/// Pays what a file asks for, and ends when each of it is paid or refused. Killed and started again it goes on.
struct Payer {
  let container: DIContainer
  let drafts: [PaymentDraft]

  private let file: URL
  private let token: Secret?

  /// The variable that has the key of the secret store, 32 bytes in Base64. On a server prefer a credential of systemd's.
  static let secretKey = "PAYMENTS_SECRET_KEY"

  init(_ settings: Options, drafts: URL, environment: [String: String]) throws {
    let bank = try BankEnvironment(environment)
    token = bank.token
    file = drafts
    self.drafts = try DraftFile.read(drafts)
    container = try Self.container(settings, bank, "--pay")
  }

  /// All that it takes to ask a bank, while no other program does so from the same store.
  ///
  /// - Parameter asked: What was asked for, for the words.
  static func container(_ settings: Options, _ bank: BankEnvironment, _ asked: String) throws -> DIContainer {
    guard let store = settings.store?.resolvingSymlinksInPath() else {
      throw Misunderstood(description: "\(asked) needs a --store.")
    }
    // Mistyped, it would pay anew what another store has paid.
    if !FileManager.default.fileExists(atPath: store.path) {
      Terminal.say("There is no store yet at \(store.path): a new one is begun, which knows of no payment.")
    }
    try ProgramLock.take(beside: store)

    var patience = PaymentSender.Patience()
    patience.order = settings.order
    patience.clocks = min(patience.clocks, settings.order / 10)
    patience.again = min(patience.again, settings.order / 20)
    return try DIContainer(
      bank: bank,
      secrets: EncryptedFileSecretStore(file: secrets(beside: store), key: .environment(secretKey)),
      store: store, patience: patience,
      logger: HTTPLogger(level: .debug, handler: StandardErrorLogHandler()))
  }

  /// The file of the secret store.
  static func secrets(beside store: URL) -> URL {
    store.deletingPathExtension().appendingPathExtension("secrets")
  }

  func run() async throws {
    // Before anything is sent: of a list that was edited, nothing is paid rather than what it asked for before.
    for (place, draft) in drafts.enumerated() where try await container.desk.isTaken(draft) {
      throw DraftFile.taken(file, place)
    }
    let trial = try await signIn()
    try await container.desk.begin()
    for draft in drafts { _ = try await container.desk.accept(draft) }
    // Whoever wants to know that it is at work.
    Terminal.put("paying")
    let told = Told()
    do {
      // What was put off before this program began is looked at now.
      try await container.desk.hurry(within: PaymentSender.farPause)
      try await PaymentQueue(
        sender: container.sender, waits: { told.say(waitingUntil: $0) }, tell: { told.say($0) }
      ).empty()
    } catch PaymentFailure.needsSignIn {
      throw Misunderstood(description: await whatToDo(after: trial))
    } catch let failure as PaymentFailure {
      throw Misunderstood(description: failure.description)
    } catch  where error is SaveError || error is StoreError {
      throw Misunderstood(
        description: "The store does not take what became of a payment: \(error) What was sent is known there, and the "
          + "bank is asked for it by the next --pay.")
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    Terminal.put(String(decoding: try encoder.encode(try await container.desk.count()), as: UTF8.self))
    var refused = 0
    for draft in drafts where try await container.desk.order(draft.name)?.state == .rejected { refused += 1 }
    guard refused == 0 else {
      throw Misunderstood(
        description:
          "Of this list the bank has refused \(refused): --refused tells why. What is to be tried again needs "
          + "another name.")
    }
  }

  /// Signs in by what the environment has, if that is new.
  private func signIn() async throws -> BankSession.Trial? {
    guard let token, let session = container.session else { return nil }
    let variable = BankEnvironment.Variable.token.rawValue
    let trial = try await session.signInOnce(token)
    switch trial {
    case .refused: Terminal.say("The bank does not know what \(variable) has. The session that there is goes on.")
    case .notAsked:
      Terminal.say("The bank could not be asked about what \(variable) has. The session that there is goes on.")
    case .known, .signedIn: break
    }
    return trial
  }

  /// What to say where only the customer can help.
  ///
  /// - Parameter trial: What came of what the environment has; nil where it has nothing.
  private func whatToDo(after trial: BankSession.Trial?) async -> String {
    let variable = BankEnvironment.Variable.token.rawValue
    // Without a session it was taken unseen. What the bank has accepted once is another thing.
    if trial == .signedIn, container.session?.wasAccepted != true {
      return
        "The bank does not know what \(variable) has: see that it is the code that it gave you last. What you want to "
        + "pay is kept."
    }
    let isEnded = (try? await container.session?.isSignedIn) ?? true
    return
      "\(isEnded ? "The bank has ended the session" : "Nobody has signed in yet"): sign in by --sign-in, or give the "
      + "code that the bank gave you last as \(variable). What you want to pay is kept."
  }
}

/// Says each thing once, however often it happens.
private final class Told: Sendable {
  private let said = Mutex<Set<PaymentFailure>>([])
  private let until = Mutex(Date.distantPast)

  /// Of waits that somebody would notice.
  func say(waitingUntil date: Date) {
    guard date.timeIntervalSinceNow > 2 else { return }
    let isNew = until.withLock { known in
      defer { known = max(known, date) }
      return date > known
    }
    guard isNew else { return }
    let time = date.formatted(.iso8601.time(includingFractionalSeconds: false).timeSeparator(.colon))
    Terminal.say("Nothing can be done before \(time) UTC. It may be stopped meanwhile: the next --pay goes on.")
  }

  func say(_ failure: PaymentFailure) {
    if said.withLock({ $0.insert(failure).inserted }) { Terminal.say(failure.description) }
  }
}
