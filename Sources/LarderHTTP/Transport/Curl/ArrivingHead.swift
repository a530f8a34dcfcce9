import Foundation

/// A response's header while its lines come (RFC 9112, sections 4 and 5; libcurl writes the same for HTTP/2).
struct ArrivingHead {
  /// How much came, interim responses and trailers included.
  private(set) var byteCount = 0
  private var status: Int?
  private var headers = HTTPHeaders()
  private var isComplete = false

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
      return nil
    }
    guard let colon = text.firstIndex(of: 0x3A), colon > text.startIndex, !ASCIIText.isWhitespace(text[text.startIndex])
    else { return nil }
    let name = String(decoding: text[..<colon], as: UTF8.self)
    let value = String(decoding: text[text.index(after: colon)...], as: UTF8.self)
    headers.add(String(ASCIIText.trimmed(value)), for: name)
    return nil
  }
}
