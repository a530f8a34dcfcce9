/// A parser of a response's header, line by line (RFC 9112, sections 4 and 5; libcurl writes the same form for HTTP/2).
///
/// Only the fields that the transport itself needs are parsed at once, since its thread serves many transfers. The reader's
/// task parses ``RawResponseHead/headers``.
struct ResponseHeadParser {
  /// The number of bytes received, including interim responses and trailers.
  private(set) var byteCount = 0
  private var head = RawResponseHead()
  private var status: Int?
  private var isComplete = false

  /// Whether the last line belongs to an interim response (1xx), which another response follows.
  var isInterim: Bool { status.map { $0 < 200 } ?? false }

  /// Adds a line, and returns the head once it is complete and not interim. Trailers are counted, and dropped.
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
      // The first letters of the relevant fields: few others have them.
      switch ASCIIText.lowercased(first) {
      case 0x63, 0x74: parseField(text)
      default: head.framing.addUnrelatedField()
      }
    }
    return nil
  }

  /// Returns whether a line begins with `HTTP/`. Byte by byte, since this runs for each line of each response.
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

/// A response's header as it was received.
struct RawResponseHead: Sendable {
  fileprivate(set) var status = 0
  /// The framing of the body.
  fileprivate(set) var framing = BodyFraming()
  /// Whether the body is encoded, which mostly means compressed.
  fileprivate(set) var isEncoded = false
  /// The lines without their ends, each followed by a line feed.
  private var lines: [UInt8] = []
  private var lineCount = 0

  /// Creates an empty head, with capacity for the fields of most responses.
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

  /// The parsed fields. Invalid lines are skipped.
  var headers: HTTPHeaders {
    var headers = HTTPHeaders()
    headers.reserveCapacity(lineCount)
    // Whether the last line was a field, which the next line may continue.
    var isField = false
    lines.withUnsafeBytes { bytes in
      var start = 0
      while start < bytes.count {
        // One pass finds the end of the line and the end of the name, if there is one.
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
          // The value continues (RFC 9112, section 5.2); a continuation of an invalid line is invalid, too.
          if isField { headers.extendLast(by: ASCIIText.trimmed(line)) }
          continue
        }
        isField = false
        guard nameEnd >= 0 else { continue }
        var name = line[..<nameEnd]
        if !isName {
          // A space before the colon is removed, as proxies must do (section 5.1); otherwise the field would have another name.
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
