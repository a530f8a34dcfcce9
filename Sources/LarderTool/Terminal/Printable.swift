/// Texts of files that somebody else may have made, as a terminal may show them: what would steer it is written out.
enum Printable {
  static func text(_ text: String) -> String {
    escaped(text) { "\\u{\(String($0.value, radix: 16, uppercase: true))}" }
  }

  /// The same, where the ends of lines may stay.
  static func lines(_ text: String) -> String {
    escaped(text, but: "\n") { "\\u{\(String($0.value, radix: 16, uppercase: true))}" }
  }

  /// JSON, in whose strings the same is written as JSON writes it. Its own lines end as they do.
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

  /// Control characters, with which terminals are told what to do, ends of lines, and what turns the direction of writing.
  /// All of them have four digits.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0...0x1F, 0x7F...0x9F, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
