/// How the end of a body is known (RFC 9112, section 6.3), by the fields of its head.
///
/// Read strictly. libcurl takes the number with which a length begins, the first of two lengths, and any coding for a
/// transfer that it knows; so does not everybody before it, and what is then cut off looks whole.
struct Framing: Sendable, Equatable {
  private enum Field {
    case length, transferCoding
  }

  private var declared: Int64?
  private(set) var isChunked = false
  /// Whether the fields contradict each other, or say what is not read alike by everybody.
  private(set) var isUnclear = false
  /// What the last line was, which the next one may go on with.
  private var last: Field?

  /// How many bytes there will be, where that is known: chunks say by themselves where they end.
  var length: Int64? { isChunked ? nil : declared }

  /// Takes a field whose name begins with the letters that matter.
  mutating func add(_ line: Slice<UnsafeRawBufferPointer>) {
    last = nil
    guard let colon = line.firstIndex(of: 0x3A) else { return }
    let name = ASCIIText.trimmed(line[..<colon])
    let value = ASCIIText.trimmed(line[(colon + 1)...])
    if ASCIIText.equal(name, "content-length") {
      last = .length
      declare(value)
    } else if ASCIIText.equal(name, "transfer-encoding") {
      last = .transferCoding
      // libcurl does not know a name with a blank behind it, and takes chunks for the body itself.
      let isKnown = name.count == line[..<colon].count
      if ASCIIText.equal(value, "chunked"), isKnown, !isChunked {
        isChunked = true
      } else if !ASCIIText.equal(value, "identity") {
        // The client has asked for none; what it does not know would be given to its reader as it is.
        isUnclear = true
      }
    }
  }

  /// Another field, of no matter here.
  mutating func addOther() { last = nil }

  /// A line by which the last field goes on (section 5.2), which nobody needs for these.
  mutating func goOn(_ line: Slice<UnsafeRawBufferPointer>) {
    if last != nil, !ASCIIText.trimmed(line).isEmpty { isUnclear = true }
  }

  /// The same number may be said several times (RFC 9110, section 8.6).
  private mutating func declare(_ value: Slice<UnsafeRawBufferPointer>) {
    for part in value.split(separator: 0x2C, omittingEmptySubsequences: false) {
      guard let number = ASCIIText.number(ASCIIText.trimmed(part)), declared == nil || declared == number else {
        isUnclear = true
        return
      }
      declared = number
    }
  }
}
