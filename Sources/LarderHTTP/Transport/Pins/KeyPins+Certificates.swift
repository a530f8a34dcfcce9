internal import Foundation

extension KeyPins.Pin {
  /// Creates the pin of a certificate's key; nil if the certificate cannot be read.
  init?(certificate pem: String) {
    guard
      let begin = pem.range(of: "-----BEGIN CERTIFICATE-----"),
      let end = pem.range(of: "-----END CERTIFICATE-----", range: begin.upperBound..<pem.endIndex),
      let der = Data(base64Encoded: String(pem[begin.upperBound..<end.lowerBound]), options: .ignoreUnknownCharacters),
      let key = Self.subjectPublicKeyInfo(of: Array(der)[...])
    else { return nil }
    try? self.init(sha256: SHA256.hash(key))
  }

  /// Returns the SubjectPublicKeyInfo of a certificate (RFC 5280, section 4.1), unchanged.
  static func subjectPublicKeyInfo(of certificate: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let (sequence, integer, version): (UInt8, UInt8, UInt8) = (0x30, 0x02, 0xA0)
    var outer = DERReader(certificate)
    guard let whole = outer.next(sequence) else { return nil }
    var inner = DERReader(whole.content)
    guard let signed = inner.next(sequence) else { return nil }
    var fields = DERReader(signed.content)
    // A certificate of version 1 has no version field.
    if fields.tag == version, fields.next() == nil { return nil }
    guard fields.next(integer) != nil else { return nil }
    // The signature's algorithm, the issuer, the validity, the subject.
    for _ in 0..<4 where fields.next(sequence) == nil { return nil }
    return fields.next(sequence)?.whole
  }
}
