/// HTML for a browser. Interpolated text is escaped, unless it is markup itself.
struct Markup: ExpressibleByStringInterpolation {
  private(set) var text: String

  init(stringLiteral value: String) { text = value }
  init(stringInterpolation: Interpolation) { text = stringInterpolation.text }
  private init(joined text: String) { self.text = text }

  static func joined(_ parts: [Markup]) -> Markup { Markup(joined: parts.map(\.text).joined()) }

  struct Interpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity * 2) }
    mutating func appendLiteral(_ literal: String) { text += literal }
    mutating func appendInterpolation(_ markup: Markup) { text += markup.text }
    mutating func appendInterpolation(_ value: String) { text += Markup.escaped(value) }
    mutating func appendInterpolation(_ value: Int64) { text += String(value) }
    mutating func appendInterpolation(_ value: Int) { text += String(value) }
  }

  /// Escapes text within an element or a quoted attribute. Characters that change the writing direction are shown as escapes, as
  /// for a
  /// terminal.
  private static func escaped(_ text: String) -> String {
    var result = ""
    result.reserveCapacity(text.utf8.count)
    for scalar in Printable.lines(text).unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Encodes a text for the query of a URL.
  static func query(_ text: String) -> String {
    // All other characters are percent-encoded: a name may contain any character.
    let plain = UInt8(ascii: "a")...UInt8(ascii: "z")
    return text.utf8.reduce(into: "") { result, byte in
      if plain.contains(byte | 0x20) && byte < 0x80 || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
        result.append(Character(UnicodeScalar(byte)))
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        result += "%" + (digits.count == 1 ? "0" : "") + digits
      }
    }
  }
}
