import CLarderSecrets
import Synchronization

/// The credential of a file of secrets: a key, or a passphrase, from which one key is derived for each salt.
final class SecretFileCredential: Sendable {
  private enum Kind: Sendable {
    case key(SecretKey)
    case passphrase(Secret, ScryptCost)
  }

  private struct Derived: Sendable {
    let salt: [UInt8]
    let cost: ScryptCost
    let key: SecretKey
  }

  private let kind: Kind
  /// The latest derived key, kept since scrypt is slow by design.
  private let lastDerivedKey = Mutex<Derived?>(nil)

  init(key: SecretKey) { kind = .key(key) }

  init(passphrase: Secret, cost: ScryptCost) throws(SecretError) {
    guard passphrase.count > 0 else { throw .invalidKey(.emptyPassphrase) }
    precondition(cost.isAllowed, "Nobody but this package makes a cost.")
    kind = .passphrase(passphrase, cost)
  }

  /// The scrypt cost of new files; `nil` for a key.
  var cost: ScryptCost? {
    switch kind {
    case .key: nil
    case .passphrase(_, let cost): cost
    }
  }

  func key(salt: [UInt8], cost: ScryptCost?) throws(SecretError) -> SecretKey {
    switch (kind, cost) {
    case (.key(let key), _): return key
    case (.passphrase(let passphrase, let own), let cost):
      let cost = cost ?? own
      if let known = lastDerivedKey.withLock({ $0 }), known.salt == salt, known.cost == cost { return known.key }
      let bytes = try SecretBytes(count: SecretKey.count) { (derived) throws(SecretError) in
        let isDerived = passphrase.withBytes { passphrase in
          cls_scrypt(
            passphrase.baseAddress, passphrase.count, salt, salt.count, UInt32(cost.logN), UInt32(cost.blockSize),
            UInt32(cost.parallelism), derived.baseAddress, derived.count)
        }
        guard isDerived == 1 else { throw .invalidKey(.derivationFailed) }
      }
      let key = try SecretKey(bytes)
      lastDerivedKey.withLock { $0 = Derived(salt: salt, cost: cost, key: key) }
      return key
    }
  }
}
