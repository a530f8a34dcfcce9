import CLarderSecrets

/// The first 112 bytes of a file of secrets. All of them are authenticated with the ciphertext.
///
/// | at | bytes | content |
/// |---|---|---|
/// | 0 | 8 | the magic number |
/// | 8 | 1 | the version, 1 |
/// | 9 | 1 | 0 for a key, 1 for a passphrase |
/// | 10 | 3 | scrypt's log2 N, r and p; zeros with a key |
/// | 13 | 3 | zeros |
/// | 16 | 16 | scrypt's salt; zeros with a key |
/// | 32 | 16 | the salt of this write, from which cipher key and key check are derived |
/// | 48 | 32 | the key check |
/// | 80 | 12 | the nonce of this write |
/// | 92 | 4 | the length of the ciphertext in bytes, little-endian |
/// | 96 | 16 | the beginning of the SHA-256 of all bytes before it |
///
/// The ciphertext and the tag of 16 bytes follow. The last field distinguishes damage from a wrong key; it is no protection, which
/// the tag provides.
struct SecretFileHeader {
  static let count = 112
  static let magic: [UInt8] = [0x89] + Array("LSECR\n".utf8) + [0]
  static let version: UInt8 = 1
  static let saltCount = 16
  static let keyCheckCount = 32
  private static let checksumCount = 16

  var cost: ScryptCost?
  var passphraseSalt: [UInt8]
  var salt: [UInt8]
  var keyCheck: [UInt8]
  var nonce: [UInt8]
  var sealedCount: Int

  func encoded() -> [UInt8] {
    var bytes = Self.magic + [Self.version, cost == nil ? 0 : 1]
    bytes += [cost?.logN ?? 0, cost?.blockSize ?? 0, cost?.parallelism ?? 0, 0, 0, 0]
    bytes += passphraseSalt + salt + keyCheck + nonce
    bytes += (0..<4).map { UInt8(truncatingIfNeeded: sealedCount >> (8 * $0)) }
    return bytes + Self.checksum(bytes[...])
  }

  /// Parses a header, and throws for errors that are detectable without the key.
  init(_ bytes: [UInt8], file: String) throws(SecretError) {
    guard !bytes.isEmpty else { throw .corrupted(file: file, .empty) }
    guard bytes.starts(with: Self.magic.prefix(bytes.count)) else { throw .notASecretFile(file: file) }
    guard bytes.count > 8 else { throw .corrupted(file: file, .truncated) }
    // Checked before the other fields, whose places may differ in another version.
    guard bytes[8] == Self.version else { throw .unsupportedVersion(file: file, version: Int(bytes[8])) }
    guard bytes.count >= Self.count else { throw .corrupted(file: file, .truncated) }
    guard Self.checksum(bytes[..<96]).elementsEqual(bytes[96..<112]), bytes[9] <= 1,
      bytes[13..<16].allSatisfy({ $0 == 0 })
    else { throw .corrupted(file: file, .header) }
    if bytes[9] == 1 {
      let cost = ScryptCost(logN: bytes[10], blockSize: bytes[11], parallelism: bytes[12])
      guard cost.isAllowed else { throw .excessiveCost(file: file) }
      self.cost = cost
    }
    passphraseSalt = Array(bytes[16..<32])
    salt = Array(bytes[32..<48])
    keyCheck = Array(bytes[48..<80])
    nonce = Array(bytes[80..<92])
    sealedCount = (0..<4).reduce(0) { $0 | Int(bytes[92 + $1]) << (8 * $1) }
    let whole = Self.count + sealedCount + Int(CLS_TAG)
    guard bytes.count >= whole else { throw .corrupted(file: file, .truncated) }
    guard bytes.count == whole else { throw .corrupted(file: file, .overlong) }
  }

  init(
    cost: ScryptCost?, passphraseSalt: [UInt8], salt: [UInt8], keyCheck check: [UInt8], nonce: [UInt8], sealedCount: Int
  ) {
    self.cost = cost
    self.passphraseSalt = passphraseSalt
    self.salt = salt
    self.keyCheck = check
    self.nonce = nonce
    self.sealedCount = sealedCount
  }

  private static func checksum(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var digest = [UInt8](repeating: 0, count: 32)
    let isDone = bytes.withUnsafeBytes { cls_sha256($0.baseAddress, $0.count, &digest) }
    precondition(isDone == 1, "OpenSSL has no SHA-256")
    return digest.prefix(checksumCount)
  }
}
