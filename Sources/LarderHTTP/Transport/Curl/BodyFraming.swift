/// The framing of a response's body (RFC 9112, section 6.3), by the fields of its head.
///
/// Parsed strictly. libcurl accepts a length with trailing text, the first of two lengths, and any transfer coding that it
/// knows. Proxies before it may differ, and a body that is cut off as a result would look complete.
struct BodyFraming: Sendable, Equatable {
  private enum Field {
    case length, transferCoding
  }

  private var declaredLength: Int64?
  private(set) var isChunked = false
  /// Whether the fields contradict each other, or have a form that servers and proxies read differently.
  private(set) var isAmbiguous = false
  /// The field of the last line, which the next line may continue.
  private var lastField: Field?

  /// The number of bytes, if it is known; a chunked body marks its own end.
  var length: Int64? { isChunked ? nil : declaredLength }

  /// Adds a field whose name begins with the letter of a relevant one.
  mutating func addField(_ line: Slice<UnsafeRawBufferPointer>) {
    lastField = nil
    guard let colon = line.firstIndex(of: 0x3A) else { return }
    let name = ASCIIText.trimmed(line[..<colon])
    let value = ASCIIText.trimmed(line[(colon + 1)...])
    if ASCIIText.equal(name, "content-length") {
      lastField = .length
      declareLength(value)
    } else if ASCIIText.equal(name, "transfer-encoding") {
      lastField = .transferCoding
      // libcurl does not recognize a name with a space after it, and would take the chunks for the body itself.
      let isKnown = name.count == line[..<colon].count
      if ASCIIText.equal(value, "chunked"), isKnown, !isChunked {
        isChunked = true
      } else if !ASCIIText.equal(value, "identity") {
        // The client has requested no transfer coding; an unknown one would reach the reader undecoded.
        isAmbiguous = true
      }
    }
  }

  /// Adds a field that is irrelevant for the framing.
  mutating func addUnrelatedField() { lastField = nil }

  /// Adds a line that continues the last field (section 5.2); no server needs one for the framing fields.
  mutating func continueField(_ line: Slice<UnsafeRawBufferPointer>) {
    if lastField != nil, !ASCIIText.trimmed(line).isEmpty { isAmbiguous = true }
  }

  /// Adds a length. The same number may be repeated (RFC 9110, section 8.6).
  private mutating func declareLength(_ value: Slice<UnsafeRawBufferPointer>) {
    for part in value.split(separator: 0x2C, omittingEmptySubsequences: false) {
      guard let number = ASCIIText.number(ASCIIText.trimmed(part)), declaredLength == nil || declaredLength == number
      else {
        isAmbiguous = true
        return
      }
      declaredLength = number
    }
  }
}
