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

  /// So many payments, each to an account of its own.
  func drafts(_ count: Int) -> [PaymentDraft] {
    (0..<count).map { number in
      PaymentDraft(
        name: "order-\(number)", accountId: "acc-1", recipientName: "\(Self.recipientStem) \(number)",
        recipientAccountNumber: "\(Self.accountStem)\(100_000 + number)", amount: Decimal(100 + number) / 100,
        currency: "EUR",
        description: number.isMultiple(of: 3) ? "Invoice \(number)" : nil)
    }
  }

  /// In how many places there is what must not be there: the token in the store or the log; account numbers, amounts, keys
  /// and recipients in the log.
  ///
  /// - Parameters:
  ///   - store: The store's file; what lies beside it is looked at, too.
  ///   - log: Everything that the program that pays has said.
  ///   - keys: The idempotency keys that the bank was given.
  func found(beside store: URL, log: URL, keys: [String]) throws -> Int {
    var count = 0
    let folder = store.deletingLastPathComponent()
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
    where name.hasPrefix(store.lastPathComponent) {
      let data = try Data(contentsOf: folder.appending(path: name))
      if data.range(of: Data(Self.tokenStem.utf8)) != nil { count += 1 }
    }
    let said = try Data(contentsOf: log)
    // A log that says nothing proves nothing.
    if said.isEmpty { count += 1 }
    for canary in [Self.tokenStem, Self.accountStem, Self.recipientStem, "at-"] + keys
    where said.range(of: Data(canary.utf8)) != nil { count += 1 }
    return count
  }
}
