/// Markup that may go to a browser. What is put into it is escaped, unless it is markup itself:
///
/// ```swift
/// let cell: HTML = "<td title=\"\(place)\">\(place)</td>"
/// ```
public struct HTML: Hashable, Sendable {
  /// The markup itself.
  public private(set) var text: String

  /// Markup that is known to be good: constants, and what was made from numbers.
  public init(trusted text: String) {
    self.text = text
  }

  /// The one and then the other.
  public static func + (left: HTML, right: HTML) -> HTML {
    HTML(trusted: left.text + right.text)
  }

  /// Text with every character escaped that could end it, in an element or in a quoted attribute.
  public static func escape(_ text: String) -> String {
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
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    public init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + interpolationCount * 16)
    }

    public mutating func appendLiteral(_ literal: String) { text += literal }
    public mutating func appendInterpolation(_ markup: HTML) { text += markup.text }
    public mutating func appendInterpolation(_ value: String) { text += HTML.escape(value) }
    public mutating func appendInterpolation(_ value: Int) { text += String(value) }
  }

  public init(stringLiteral value: String) {
    text = value
  }

  public init(stringInterpolation: StringInterpolation) {
    text = stringInterpolation.text
  }
}

extension Sequence<HTML> {
  /// All of it, one after the other.
  public func joined() -> HTML {
    HTML(trusted: map(\.text).joined())
  }
}
