/// How the end of a body is known (RFC 9112, section 6.3), by the fields of its head.
///
/// Read strictly. libcurl takes the number with which a length begins, the first of two lengths, and any coding for a
/// transfer that it knows; so does not everybody before it, and what is then cut off looks whole.
struct BodyFraming: Sendable, Equatable {
  private enum Field {
    case length, transferCoding
  }

  private var declaredLength: Int64?
  private(set) var isChunked = false
  /// Whether the fields contradict each other, or say what is not read alike by everybody.
  private(set) var isAmbiguous = false
  /// What the last line was, which the next one may go on with.
  private var lastField: Field?

  /// How many bytes there will be, where that is known: chunks say by themselves where they end.
  var length: Int64? { isChunked ? nil : declaredLength }

  /// Takes a field whose name begins with the letters that matter.
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
      // libcurl does not know a name with a blank behind it, and takes chunks for the body itself.
      let isKnown = name.count == line[..<colon].count
      if ASCIIText.equal(value, "chunked"), isKnown, !isChunked {
        isChunked = true
      } else if !ASCIIText.equal(value, "identity") {
        // The client has asked for none; what it does not know would be given to its reader as it is.
        isAmbiguous = true
      }
    }
  }

  /// Another field, of no matter here.
  mutating func addUnrelatedField() { lastField = nil }

  /// A line by which the last field goes on (section 5.2), which nobody needs for these.
  mutating func continueField(_ line: Slice<UnsafeRawBufferPointer>) {
    if lastField != nil, !ASCIIText.trimmed(line).isEmpty { isAmbiguous = true }
  }

  /// The same number may be said several times (RFC 9110, section 8.6).
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
