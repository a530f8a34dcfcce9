import Foundation

/// A response's header while its lines come (RFC 9112, sections 4 and 5; libcurl writes the same for HTTP/2).
struct ArrivingHead {
  /// How much came, interim responses and trailers included.
  private(set) var byteCount = 0
  private var status: Int?
  private var headers = HTTPHeaders()
  private var isComplete = false
  /// Whether the last line was a field, which the next one may go on with.
  private var isField = false

  /// Takes a line, and returns the head when it is complete and no interim one. Trailers are counted, and dropped.
  mutating func add(_ line: UnsafeRawBufferPointer) -> (Int, HTTPHeaders)? {
    byteCount += line.count
    guard !isComplete else { return nil }
    var text = line[...]
    while let last = text.last, last == 0x0A || last == 0x0D { text = text.dropLast() }
    if text.isEmpty {
      guard let status, status >= 200 else { return nil }
      isComplete = true
      return (status, headers)
    }
    if text.starts(with: "HTTP/".utf8) {
      let words = String(decoding: text, as: UTF8.self).split(separator: " ", maxSplits: 2)
      status = words.count > 1 && words[1].utf8.count == 3 ? ASCIIText.number(words[1]).map { Int($0) } : nil
      headers = HTTPHeaders()
      isField = false
      return nil
    }
    if ASCIIText.isWhitespace(text[text.startIndex]) {
      // The value goes on (RFC 9112, section 5.2); of what was no field, that is none either.
      if isField { headers.extendLast(by: ASCIIText.trimmed(String(decoding: text, as: UTF8.self))) }
      return nil
    }
    isField = false
    guard let colon = text.firstIndex(of: 0x3A) else { return nil }
    // A blank before the colon is left out, as proxies must (section 5.1); else the field would have another name.
    let name = ASCIIText.trimmed(String(decoding: text[..<colon], as: UTF8.self))
    guard !name.isEmpty, name.utf8.allSatisfy(ASCIIText.isToken) else { return nil }
    let value = String(decoding: text[text.index(after: colon)...], as: UTF8.self)
    headers.add(String(ASCIIText.trimmed(value)), for: String(name))
    isField = true
    return nil
  }
}
