import Foundation

/// Values that are recognised wherever they turn up.
struct Canaries {
  let seed: UInt64

  init(seed: UInt64) { self.seed = seed }

  /// By which the customer signs in.
  var token: String { "canary-token-\(seed)" }

  private static func account(_ number: Int) -> String { "DE77CANARY\(100_000 + number)" }

  /// So many payments, each to an account of its own.
  func drafts(_ count: Int) -> [PaymentDraft] {
    (0..<count).map { number in
      PaymentDraft(
        name: "order-\(number)", accountId: "acc-1", recipientName: "Recipient \(number)",
        recipientAccountNumber: Self.account(number), amount: Decimal(100 + number) / 100, currency: "EUR",
        description: number.isMultiple(of: 3) ? "Invoice \(number)" : nil)
    }
  }

  /// In how many places there is what must not be there: the token in the store, account numbers in the log.
  func found(beside store: URL, log: URL) throws -> Int {
    var count = 0
    let folder = store.deletingLastPathComponent()
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
    where name.hasPrefix(store.lastPathComponent) {
      let data = try Data(contentsOf: folder.appending(path: name))
      if data.range(of: Data(token.utf8)) != nil { count += 1 }
    }
    let text = try Data(contentsOf: log)
    for canary in [token, "canary-token", "DE77CANARY", "idempotency_key"]
    where text.range(of: Data(canary.utf8)) != nil { count += 1 }
    return count
  }
}
