import Foundation

/// Markup that may go to a browser. What is put into it is escaped, unless it is markup itself:
///
/// ```swift
/// let cell: HTML = "<td title=\"\(place)\">\(place)</td>"
/// ```
struct HTML: Hashable, Sendable {
  private(set) var text: String

  /// Markup that is known to be good: constants, and what was made from numbers.
  init(trusted text: String) {
    self.text = text
  }

  static func + (left: HTML, right: HTML) -> HTML {
    HTML(trusted: left.text + right.text)
  }

  /// Text with every character escaped that could end it, in an element or in a quoted attribute.
  static func escape(_ text: String) -> String {
    var result = ""
    result.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case "`": result += "&#96;"
      // Control characters are no part of HTML; a stray one would make the page invalid.
      case "\u{0}"..."\u{8}", "\u{B}"..."\u{1F}", "\u{7F}"..."\u{9F}": result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

extension HTML: ExpressibleByStringInterpolation {
  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + interpolationCount * 16)
    }

    mutating func appendLiteral(_ literal: String) { text += literal }
    mutating func appendInterpolation(_ markup: HTML) { text += markup.text }
    mutating func appendInterpolation(_ value: String) { text += HTML.escape(value) }
    mutating func appendInterpolation(_ value: Int) { text += String(value) }
  }

  init(stringLiteral value: String) {
    text = value
  }

  init(stringInterpolation: StringInterpolation) {
    text = stringInterpolation.text
  }
}

extension Sequence<HTML> {
  func joined() -> HTML {
    HTML(trusted: map(\.text).joined())
  }
}
