import Foundation

/// The canonical text of a decimal number: an optional minus sign, digits, and for a fraction a point and digits that
/// do not end in 0. No exponent, no plus sign, no minus before 0.
enum DecimalText {
  /// 168: a Decimal has at most 39 digits and an exponent of −128…127, so no number needs more characters.
  static let maximumLength = 168
  /// 38: any number of so many digits fits into a Decimal; only some with one more do.
  private static let safeDigits = 38

  static func canonical(_ value: Decimal) -> String {
    if value == 0 { return "0" }
    // `description` never writes an exponent, but keeps zeros at the end of a fraction.
    return trimmingTrailingZeros(value.description)
  }

  private static func trimmingTrailingZeros(_ text: String) -> String {
    guard text.utf8.contains(point) else { return text }
    var digits = text.utf8[...]
    while digits.last == zero { digits.removeLast() }
    if digits.last == point { digits.removeLast() }
    return String(Substring(digits))
  }

  private static let point = UInt8(ascii: ".")
  private static let zero = UInt8(ascii: "0")

  /// Reads canonical text, and plain decimal numbers written by other programs. Returns nil for any other text, while
  /// `Decimal(string:)` would read its numeric prefix.
  static func parse(_ text: String) -> Decimal? {
    guard text.utf8.count <= maximumLength else { return nil }
    var digits = 0
    var points = 0
    for (index, byte) in text.utf8.enumerated() {
      switch byte {
      case UInt8(ascii: "-") where index == 0: continue
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digits += 1
      case UInt8(ascii: ".") where digits > 0 && points == 0: points += 1
      default: return nil
      }
    }
    guard digits > 0, text.utf8.last != point, let value = Decimal(string: text), !value.isNaN else { return nil }
    // Digits or exponents that exceed a Decimal's range would be rounded, and a different number would be written back.
    if digits > safeDigits, canonical(value) != canonicalForm(of: text) { return nil }
    return value
  }

  /// Returns the canonical text of a plain decimal number.
  private static func canonicalForm(of text: String) -> String {
    let isNegative = text.utf8.first == UInt8(ascii: "-")
    var digits = Substring(trimmingTrailingZeros(isNegative ? String(text.dropFirst()) : text))
    while digits.utf8.first == zero, digits.utf8.count > 1, digits.utf8.dropFirst().first != point {
      digits.removeFirst()
    }
    return isNegative && digits != "0" ? "-" + digits : String(digits)
  }
}
