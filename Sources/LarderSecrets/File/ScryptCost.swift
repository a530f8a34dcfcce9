/// The cost of trying a passphrase, by scrypt: each try takes this much memory and time, for this program and for an attacker with
/// a
/// stolen file.
///
/// ```swift
/// let store = try EncryptedFileSecretStore(file: file, passphrase: passphrase, cost: .standard)
/// ```
///
/// The file contains its cost. A file with a higher cost than ``highest`` is rejected, so that a malicious file cannot take more.
public struct ScryptCost: Sendable, Hashable {
  /// The binary logarithm of N.
  let logN: UInt8
  let blockSize: UInt8
  let parallelism: UInt8

  /// N = 2¹⁷: 128 MiB and about a third of a second.
  public static let standard = ScryptCost(logN: 17, blockSize: 8, parallelism: 1)
  /// N = 2¹⁵: 32 MiB and less than a tenth of a second, for small machines.
  public static let light = ScryptCost(logN: 15, blockSize: 8, parallelism: 1)
  /// N = 2¹⁸: 256 MiB, the most that a file may ask for.
  public static let highest = ScryptCost(logN: 18, blockSize: 8, parallelism: 1)

  package init(logN: UInt8, blockSize: UInt8, parallelism: UInt8) {
    self.logN = logN
    self.blockSize = blockSize
    self.parallelism = parallelism
  }

  /// The product of N, block size and parallelism. Memory is N times the block size, and time is that times the parallelism.
  private var work: Int { (1 << Int(logN)) * Int(blockSize) * Int(parallelism) }

  var isAllowed: Bool {
    guard (10...18).contains(logN), blockSize > 0, parallelism > 0 else { return false }
    return work <= Self.highest.work
  }
}
