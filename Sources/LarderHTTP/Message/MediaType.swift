/// The media type of a `Content-Type` (RFC 9110, section 8.3.1), without its parameters.
struct MediaType: Equatable {
  /// The name in lower case; nil if there is none or it is invalid.
  let name: String?

  init(_ field: String?) {
    guard let field else {
      name = nil
      return
    }
    // By bytes: a combining character after the semicolon must not hide it.
    let essence = ASCIIText.trimmed(Substring(field.utf8.prefix { $0 != 0x3B && $0 != 0x2C }))
    let parts = essence.utf8.split(separator: 0x2F, omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(ASCIIText.isToken) }) else {
      name = nil
      return
    }
    name = ASCIIText.lowercased(essence)
  }

  /// Whether this is `application/json`, or a type with the suffix of JSON (RFC 6839, section 3.1).
  var isJSON: Bool { name.map { $0 == "application/json" || $0 == "text/json" || $0.hasSuffix("+json") } ?? false }

  /// Whether this is a page in HTML.
  var isHTML: Bool { name == "text/html" || name == "application/xhtml+xml" }

  /// Returns whether a field contains "html", without which it is no page's.
  static func mayBeHTML(_ field: String) -> Bool {
    var field = field
    return field.withUTF8 { bytes in
      var place = 3
      while place < bytes.count {
        if ASCIIText.lowercased(bytes[place]) == 0x6C, ASCIIText.lowercased(bytes[place - 1]) == 0x6D,
          ASCIIText.lowercased(bytes[place - 2]) == 0x74, ASCIIText.lowercased(bytes[place - 3]) == 0x68
        {
          return true
        }
        place += 1
      }
      return false
    }
  }
}
