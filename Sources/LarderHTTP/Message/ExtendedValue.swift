/// The value of a parameter whose name ends in `*`: a character set, a language, and percent-encoded text (RFC 8187).
enum ExtendedValue {
  /// Returns the text, or nil if it is invalid. UTF-8 is the only character set, since senders must use it (section 3.2.1).
  static func decode(_ value: String) -> String? {
    let parts = value.utf8.split(separator: 0x27, maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, ASCIIText.equal(Substring(parts[0]), "UTF-8") else { return nil }
    var bytes: [UInt8] = []
    var rest = parts[2][...]
    while let byte = rest.popFirst() {
      if byte == 0x25 {
        guard let high = rest.popFirst().flatMap(PercentEncoding.hexadecimalValue),
          let low = rest.popFirst().flatMap(PercentEncoding.hexadecimalValue)
        else { return nil }
        bytes.append(high << 4 | low)
      } else if isAttributeCharacter(byte) {
        bytes.append(byte)
      } else {
        return nil
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Returns whether a byte needs no encoding (`attr-char`): the bytes of a token except `*`, `'` and `%`.
  private static func isAttributeCharacter(_ byte: UInt8) -> Bool {
    ASCIIText.isToken(byte) && byte != 0x2A && byte != 0x27 && byte != 0x25
  }
}
