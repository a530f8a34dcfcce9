import Foundation

/// Values that are recognised wherever they turn up.
struct Canaries {
  let seed: UInt64

  init(seed: UInt64) { self.seed = seed }

  /// By which the customer signs in.
  var token: String { "\(Self.tokenStem)-\(seed)" }

  private static let tokenStem = "canary-token"
  private static let accountStem = "DE77CANARY"
  private static let recipientStem = "Canary No."
  /// Of each amount, which goes on with two digits.
  private static let amountStem = "1311."

  /// So many payments, each to an account of its own.
  func drafts(_ count: Int) -> [PaymentDraft] {
    (0..<count).map { number in
      PaymentDraft(
        name: "order-\(number)", accountId: "acc-1", recipientName: "\(Self.recipientStem) \(number)",
        recipientAccountNumber: "\(Self.accountStem)\(100_000 + number)", amount: Decimal(131_100 + number % 100) / 100,
        currency: "EUR",
        description: number.isMultiple(of: 3) ? "Invoice \(number)" : nil)
    }
  }

  /// In how many places there is what must not be there: the token, or the key of the secret store, in any file; account
  /// numbers, amounts, recipients and keys in the log.
  ///
  /// - Parameters:
  ///   - folders: With the store, the secret store, and everything else that was written.
  ///   - log: Everything that the program that pays has said.
  ///   - secretKey: The key of the secret store, in Base64.
  ///   - keys: The idempotency keys that the bank was given.
  func found(in folders: [URL], log: URL, secretKey: String, keys: [String]) throws -> Int {
    var count = 0
    var secrets = [Data(Self.tokenStem.utf8), Data(secretKey.utf8)]
    if let raw = Data(base64Encoded: secretKey) { secrets.append(raw) }
    let files = Set(
      try folders.flatMap { try FileManager.default.contentsOfDirectory(at: $0, includingPropertiesForKeys: nil) })
    for file in files where !file.hasDirectoryPath {
      let data = try Data(contentsOf: file)
      count += secrets.count { data.range(of: $0) != nil }
    }
    let said = try Data(contentsOf: log)
    // A log that says nothing proves nothing.
    if said.isEmpty { count += 1 }
    for canary in [Self.accountStem, Self.recipientStem, Self.amountStem, "at-"] + keys
    where said.range(of: Data(canary.utf8)) != nil {
      count += 1
    }
    return count
  }
}
