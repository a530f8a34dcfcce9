import ExampleSupport
import Foundation
import LarderSecrets
import LarderTesting

/// Many payments through a line that fails, to a bank that fails, by a program that is killed; then the books are compared.
struct Once {
  static let payments = 200
  static let kills = 20
  /// How many payments more each start is asked for: so that each is killed at its work.
  private static let portion = 8
  /// How long an order is good, in seconds.
  private static let order = 2.0

  let seed: UInt64
  let store: URL?

  /// What the bank does with keys follows from the seed.
  var keys: String { ["honours", "forgets", "none"][Int(seed % 3)] }

  func run() async throws {
    let outcome = try await outcome()
    Terminal.put(outcome.line)
    if !outcome.isGood {
      throw Misunderstood(
        description: "Something was paid twice, was lost, or lies where it must not. Again: SEED=\(seed)")
    }
  }

  func outcome() async throws -> OnceOutcome {
    let folder = try TemporaryFolder()
    let store = store ?? folder.url.appending(path: "payments.store")
    let canaries = Canaries(seed: seed)
    let bank = try BankProcess(keys: keys, folder: folder.url, token: canaries.token)
    Terminal.say("Seed \(seed): a bank that \(keys == "none" ? "knows no keys" : "\(keys) keys")")

    let line = FaultyLine(to: bank.port, seed: seed)
    let proxy = try FaultProxy(to: bank.port) { line.fault(of: $0) }
    defer { proxy.stop() }
    try await bank.fail(
      ["closeBeforeCommit", "closeAfterCommit", "closeWithinHead", "reset", "stall", "status"], share: 0.2, seed: seed)

    let log = folder.url.appending(path: "log")
    FileManager.default.createFile(atPath: log.path, contents: nil)
    let handle = try FileHandle(forWritingTo: log)
    let drafts = canaries.drafts(Self.payments)
    let secretKey = (try SecretKey.random()).base64().text() ?? ""
    func start(_ count: Int, signsIn: Bool = false) throws -> PayerProcess {
      let file = folder.url.appending(path: "drafts.json")
      try JSONEncoder().encode(Array(drafts.prefix(count))).write(to: file)
      var environment = bank.environment(at: proxy.url("", scheme: "https"))
      environment["no_proxy"] = "127.0.0.1"
      environment[Payer.secretKey] = secretKey
      // Once: from then on the secret store has it.
      if signsIn { environment[BankEnvironment.Variable.token.rawValue] = canaries.token }
      return try PayerProcess(
        ["--store", store.path, "--pay", file.path, "--order", "\(Self.order)"], environment: environment, log: handle)
    }

    var chance = SystemRandomNumberGenerator()
    var kills = 0
    var asked = 0
    var isSignedIn = false
    while kills < Self.kills || asked < Self.payments {
      asked = min(Self.payments, asked + Self.portion)
      let payer = try start(asked, signsIn: !isSignedIn)
      if let startup = payer.startup() {
        isSignedIn = true
        // In the midst of its work, also where a machine takes its time.
        let longest = min(max(startup * 6, .milliseconds(250)), .seconds(3))
        try await Task.sleep(for: longest * Double.random(in: 0...1, using: &chance))
      }
      if payer.kill() { kills += 1 }
    }
    Terminal.say("Killed \(kills) times. From here on nothing fails")
    line.heal()
    try await bank.fail([], share: 0, seed: 0)
    let payer = try start(Self.payments)
    _ = payer.startup()
    let count = try payer.end()
    try handle.close()
    let booked = try await bank.ledger()
    return OnceOutcome(
      count: count, booked: booked, drafts: drafts, kills: kills, bank: keys,
      canariesFound: try canaries.found(
        in: [folder.url, store.deletingLastPathComponent()], log: log, secretKey: secretKey,
        keys: booked.map(\.reference)))
  }
}
