/// Conversion of untrusted text for a terminal: control characters are replaced by visible escapes.
enum Printable {
  static func text(_ text: String) -> String {
    escaped(text) { "\\u{\(String($0.value, radix: 16, uppercase: true))}" }
  }

  /// Converts text, and keeps its line ends.
  static func lines(_ text: String) -> String {
    escaped(text, but: "\n") { "\\u{\(String($0.value, radix: 16, uppercase: true))}" }
  }

  /// Converts JSON: control characters in its strings become JSON escapes, and line ends are kept.
  static func json(_ text: String) -> String {
    escaped(text, but: "\n") { scalar in
      let digits = String(scalar.value, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
  }

  private static func escaped(
    _ text: String, but allowed: Unicode.Scalar? = nil, _ name: (Unicode.Scalar) -> String
  ) -> String {
    if !text.unicodeScalars.contains(where: { isControl($0) && $0 != allowed }) { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      if isControl(scalar), scalar != allowed {
        result += name(scalar)
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Returns whether a character is a control character, a line end, or changes the writing direction. All of them have four
  /// digits.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0...0x1F, 0x7F...0x9F, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
