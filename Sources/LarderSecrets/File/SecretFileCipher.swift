import CLarderSecrets

/// The encryption and decryption of a file of secrets.
///
/// Each write has a salt of its own, and thus its own cipher key and key check: no key is ever used for two writes, even
/// with different nonces. The key check commits the file to its key, which GCM alone does not, and distinguishes a wrong key
/// from damage.
enum SecretFileCipher {
  private static let cipherPurpose = "larder secrets 1: cipher"
  private static let checkPurpose = "larder secrets 1: check"

  static func seal(_ plain: SecretBytes, with unlocking: SecretFileCredential, salt passphraseSalt: [UInt8]?)
    throws(SecretError) -> [UInt8]
  {
    let cost = unlocking.cost
    var scryptSalt = [UInt8](repeating: 0, count: SecretFileHeader.saltCount)
    if cost != nil {
      if let passphraseSalt { scryptSalt = passphraseSalt } else { scryptSalt = try random(scryptSalt.count) }
    }
    let key = try unlocking.key(salt: scryptSalt, cost: cost)
    let salt = try random(SecretFileHeader.saltCount)
    let header = SecretFileHeader(
      cost: cost, passphraseSalt: scryptSalt, salt: salt, keyCheck: try keyCheck(of: key, salt: salt),
      nonce: try random(Int(CLS_NONCE)), sealedCount: plain.count)
    let headerBytes = header.encoded()
    var sealed = [UInt8](repeating: 0, count: plain.count)
    var tag = [UInt8](repeating: 0, count: Int(CLS_TAG))
    let isSealed = try cipherKey(of: key, salt: salt).withBytes { cipherKey in
      plain.withBytes { plain in
        cls_seal(
          cipherKey.baseAddress, header.nonce, headerBytes, headerBytes.count, plain.baseAddress, plain.count, &sealed,
          &tag)
      }
    }
    guard isSealed == 1 else { throw .invalidKey(.derivationFailed) }
    return headerBytes + sealed + tag
  }

  static func open(_ bytes: [UInt8], with unlocking: SecretFileCredential, file: String) throws(SecretError)
    -> (plain: SecretBytes, header: SecretFileHeader)
  {
    let header = try SecretFileHeader(bytes, file: file)
    guard (header.cost == nil) == (unlocking.cost == nil) else {
      throw .keyTypeMismatch(file: file, needsPassphrase: header.cost != nil)
    }
    let key = try unlocking.key(salt: header.passphraseSalt, cost: header.cost)
    let check = try keyCheck(of: key, salt: header.salt)
    guard cls_equal(check, header.keyCheck, check.count) == 1 else { throw .wrongKey(file: file) }
    let cipherKey = try cipherKey(of: key, salt: header.salt)
    let plain = try SecretBytes(count: header.sealedCount) { (plain) throws(SecretError) in
      let isWhole = bytes.withUnsafeBytes { bytes in
        cipherKey.withBytes { cipherKey in
          let sealed = bytes.baseAddress.map { $0 + SecretFileHeader.count }
          return cls_open(
            cipherKey.baseAddress, header.nonce, bytes.baseAddress, SecretFileHeader.count, sealed, header.sealedCount,
            sealed.map { $0 + header.sealedCount }, plain.baseAddress)
        }
      }
      guard isWhole == 1 else { throw .corrupted(file: file, .contents) }
    }
    return (plain, header)
  }

  private static func cipherKey(of key: SecretKey, salt: [UInt8]) throws(SecretError) -> SecretBytes {
    try SecretBytes(count: Int(CLS_KEY)) { (derived) throws(SecretError) in
      try derive(cipherPurpose, of: key, salt: salt, into: derived)
    }
  }

  /// Returns the key check, which is public, as the header contains it.
  private static func keyCheck(of key: SecretKey, salt: [UInt8]) throws(SecretError) -> [UInt8] {
    let check = try SecretBytes(count: SecretFileHeader.keyCheckCount) { (derived) throws(SecretError) in
      try derive(checkPurpose, of: key, salt: salt, into: derived)
    }
    return check.withBytes { Array($0) }
  }

  private static func derive(
    _ purpose: String, of key: SecretKey, salt: [UInt8], into derived: UnsafeMutableRawBufferPointer
  ) throws(SecretError) {
    let isDerived = key.bytes.withBytes { key in
      cls_derive(key.baseAddress, key.count, salt, salt.count, purpose, derived.baseAddress, derived.count)
    }
    guard isDerived == 1 else { throw .invalidKey(.derivationFailed) }
  }

  private static func random(_ count: Int) throws(SecretError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    guard cls_random(&bytes, count) == 1 else { throw .noRandomness }
    return bytes
  }
}
