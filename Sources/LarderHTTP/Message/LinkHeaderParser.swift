/// A parser of `Link` fields, by appendix B of RFC 8288, which continues after unreadable parts.
///
/// It works on bytes, in one pass: all delimiters are ASCII, and a combining character after one must not hide it.
struct LinkHeaderParser {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Returns the next link's reference and parameters; nil at the end.
  mutating func next() -> (reference: [UInt8], parameters: [WebLink.Parameter])? {
    while true {
      // A list may have empty elements (RFC 9110, section 5.6.1).
      skip { ASCIIText.isWhitespace($0) || $0 == 0x2C }
      guard let first = peek else { return nil }
      guard first == 0x3C else {
        skipElement()
        continue
      }
      position += 1
      let start = position
      skip { $0 != 0x3E }
      let reference = Array(bytes[start..<position])
      guard peek == 0x3E else { return nil }
      position += 1
      let parameters = parameters()
      return (reference, parameters)
    }
  }

  /// Returns the parameters after the target, up to the next link.
  private mutating func parameters() -> [WebLink.Parameter] {
    var found: [WebLink.Parameter] = []
    while true {
      skip(ASCIIText.isWhitespace)
      guard let byte = peek, byte != 0x2C else { return found }
      guard byte == 0x3B else {
        // Neither another parameter nor the end: the rest of this link is unreadable.
        skipElement()
        return found
      }
      position += 1
      skip(ASCIIText.isWhitespace)
      let name = read { !ASCIIText.isWhitespace($0) && $0 != 0x3D && $0 != 0x3B && $0 != 0x2C }
      skip(ASCIIText.isWhitespace)
      var value = ""
      if peek == 0x3D {
        position += 1
        skip(ASCIIText.isWhitespace)
        value =
          peek == 0x22 ? quoted() : String(ASCIIText.trimmed(read { $0 != 0x3B && $0 != 0x2C }))
      }
      if !name.isEmpty { found.append(WebLink.Parameter(name: ASCIIText.lowercased(name), value: value)) }
    }
  }

  /// Reads a quoted string (RFC 9110, section 5.6.4); one without an end continues to the end of the field.
  private mutating func quoted() -> String {
    position += 1
    var text: [UInt8] = []
    while let byte = peek {
      position += 1
      if byte == 0x22 { break }
      if byte == 0x5C {
        guard let escaped = peek else { break }
        position += 1
        text.append(escaped)
      } else {
        text.append(byte)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Skips to the comma after an unreadable part; a comma within quotes does not count.
  private mutating func skipElement() {
    while let byte = peek, byte != 0x2C {
      if byte == 0x22 { _ = quoted() } else { position += 1 }
    }
  }

  private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
    while let byte = peek, isSkipped(byte) { position += 1 }
  }

  private mutating func read(while isTaken: (UInt8) -> Bool) -> String {
    let start = position
    skip(isTaken)
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }
}
