/// A response's header while its lines come (RFC 9112, sections 4 and 5; libcurl writes the same for HTTP/2).
///
/// Only what the transport itself has to know is read as it comes: its thread serves many. ``RawResponseHead/headers`` are
/// read by whoever asks for them.
struct ResponseHeadParser {
  /// How much came, interim responses and trailers included.
  private(set) var byteCount = 0
  private var head = RawResponseHead()
  private var status: Int?
  private var isComplete = false

  /// Whether the last line belongs to an interim response (1xx), after which the answer is still to come.
  var isInterim: Bool { status.map { $0 < 200 } ?? false }

  /// Takes a line, and returns the head when it is complete and no interim one. Trailers are counted, and dropped.
  mutating func append(_ line: UnsafeRawBufferPointer) -> RawResponseHead? {
    byteCount += line.count
    guard !isComplete else { return nil }
    var count = line.count
    while count > 0, line[count - 1] == 0x0A || line[count - 1] == 0x0D { count -= 1 }
    let text = line[..<count]
    guard let first = text.first else {
      guard let status, status >= 200 else { return nil }
      isComplete = true
      head.status = status
      return head
    }
    if Self.isStatusLine(text) {
      let code = text.drop { $0 != 0x20 }.drop { $0 == 0x20 }.prefix { $0 != 0x20 }
      status = code.count == 3 && code.allSatisfy(ASCIIText.isDigit) ? code.reduce(0) { $0 * 10 + Int($1 & 0x0F) } : nil
      head.removeAll()
      return nil
    }
    head.append(text)
    if ASCIIText.isWhitespace(first) {
      head.framing.continueField(text)
    } else {
      // The first letter of those that matter: most fields are none of them.
      switch ASCIIText.lowercased(first) {
      case 0x63, 0x74: parseField(text)
      default: head.framing.addUnrelatedField()
      }
    }
    return nil
  }

  /// Whether a line begins with `HTTP/`. Byte by byte: this is asked of each line of each answer.
  private static func isStatusLine(_ line: Slice<UnsafeRawBufferPointer>) -> Bool {
    let bytes = line.base
    return line.count >= 5 && bytes[0] == 0x48 && bytes[1] == 0x54 && bytes[2] == 0x54 && bytes[3] == 0x50
      && bytes[4] == 0x2F
  }

  private mutating func parseField(_ text: Slice<UnsafeRawBufferPointer>) {
    head.framing.addField(text)
    guard let colon = text.firstIndex(of: 0x3A) else { return }
    if ASCIIText.equal(ASCIIText.trimmed(text[..<colon]), "content-encoding") { head.isEncoded = true }
  }
}

/// A response's header as it came.
struct RawResponseHead: Sendable {
  fileprivate(set) var status = 0
  /// How the end of the body is known.
  fileprivate(set) var framing = BodyFraming()
  /// Whether the body is encoded: compressed, mostly.
  fileprivate(set) var isEncoded = false
  /// Lines without their ends, each followed by a line feed.
  private var lines: [UInt8] = []
  private var lineCount = 0

  /// With room for the fields of most.
  fileprivate init() { lines.reserveCapacity(512) }

  fileprivate mutating func removeAll() {
    (status, framing, isEncoded) = (0, BodyFraming(), false)
    lines.removeAll(keepingCapacity: true)
    lineCount = 0
  }

  fileprivate mutating func append(_ line: Slice<UnsafeRawBufferPointer>) {
    lines.append(contentsOf: UnsafeRawBufferPointer(rebasing: line))
    lines.append(0x0A)
    lineCount += 1
  }

  var isSuccess: Bool { (200..<300).contains(status) }

  /// Its fields. What is none is left out.
  var headers: HTTPHeaders {
    var headers = HTTPHeaders()
    headers.reserveCapacity(lineCount)
    // Whether the last line was a field, which the next one may go on with.
    var isField = false
    lines.withUnsafeBytes { bytes in
      var start = 0
      while start < bytes.count {
        // One pass for the end of the line and for the end of the name, if that is one.
        var (end, nameEnd, isName) = (start, -1, true)
        while bytes[end] != 0x0A {
          if nameEnd < 0 {
            if bytes[end] == 0x3A {
              nameEnd = end
            } else if !ASCIIText.isToken(bytes[end]) {
              isName = false
            }
          }
          end += 1
        }
        let line = bytes[start..<end]
        start = end + 1
        guard let first = line.first else { continue }
        if ASCIIText.isWhitespace(first) {
          // The value goes on (RFC 9112, section 5.2); of what was no field, that is none either.
          if isField { headers.extendLast(by: ASCIIText.trimmed(line)) }
          continue
        }
        isField = false
        guard nameEnd >= 0 else { continue }
        var name = line[..<nameEnd]
        if !isName {
          // A blank before the colon is left out, as proxies must (section 5.1); else the field would have another name.
          name = ASCIIText.trimmed(name)
          guard name.allSatisfy(ASCIIText.isToken) else { continue }
        }
        guard !name.isEmpty else { continue }
        let value = ASCIIText.trimmed(line[(nameEnd + 1)...])
        headers.add(
          HTTPHeaders.Field(
            name: String(decoding: UnsafeRawBufferPointer(rebasing: name), as: UTF8.self),
            bytes: UnsafeRawBufferPointer(rebasing: value)))
        isField = true
      }
    }
    return headers
  }
}
