import CLarderSecrets
import Synchronization

/// What opens a file of secrets: a key, or a passphrase, of which a key is made once for each salt.
final class SecretFileUnlocking: Sendable {
  private enum Means: Sendable {
    case key(SecretKey)
    case passphrase(Secret, ScryptCost)
  }

  private struct Derived: Sendable {
    let salt: [UInt8]
    let cost: ScryptCost
    let key: SecretKey
  }

  private let means: Means
  /// The key that was made last: scrypt takes long on purpose.
  private let last = Mutex<Derived?>(nil)

  init(key: SecretKey) { means = .key(key) }

  init(passphrase: Secret, cost: ScryptCost) throws(SecretError) {
    guard passphrase.count > 0 else { throw .invalidKey(.emptyPassphrase) }
    precondition(cost.isAllowed, "Nobody but this package makes a cost.")
    means = .passphrase(passphrase, cost)
  }

  /// What a new file of this passphrase asks for; nil with a key.
  var cost: ScryptCost? {
    switch means {
    case .key: nil
    case .passphrase(_, let cost): cost
    }
  }

  func key(salt: [UInt8], cost: ScryptCost?) throws(SecretError) -> SecretKey {
    switch (means, cost) {
    case (.key(let key), _): return key
    case (.passphrase(let passphrase, let own), let cost):
      let cost = cost ?? own
      if let known = last.withLock({ $0 }), known.salt == salt, known.cost == cost { return known.key }
      let bytes = try SecretBytes(count: SecretKey.count) { (derived) throws(SecretError) in
        let isDerived = passphrase.withBytes { passphrase in
          cls_scrypt(
            passphrase.baseAddress, passphrase.count, salt, salt.count, UInt32(cost.logN), UInt32(cost.blockSize),
            UInt32(cost.parallelism), derived.baseAddress, derived.count)
        }
        guard isDerived == 1 else { throw .invalidKey(.notDerived) }
      }
      let key = try SecretKey(bytes)
      last.withLock { $0 = Derived(salt: salt, cost: cost, key: key) }
      return key
    }
  }
}
