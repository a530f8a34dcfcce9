import Foundation

/// The one text that a decimal number is stored as: an optional minus sign, digits, and, where there is a fraction,
/// a point and digits that do not end in 0. No exponent, no plus sign, no minus before 0.
enum DecimalText {
  /// A Decimal has at most 38 digits and an exponent of −128…127: no number needs more characters.
  static let maximumLength = 168

  static func canonical(_ value: Decimal) -> String {
    if value == 0 { return "0" }
    // `description` never writes an exponent, but keeps zeros at the end of a fraction.
    var text = value.description
    if text.utf8.contains(UInt8(ascii: ".")) {
      while text.hasSuffix("0") { text.removeLast() }
      if text.hasSuffix(".") { text.removeLast() }
    }
    return text
  }

  /// Reads canonical text, and text by others that is a plain decimal number; anything else is nil, where
  /// `Decimal(string:)` would take the part that it understands.
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
    guard digits > 0, text.utf8.last != UInt8(ascii: ".") else { return nil }
    return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
  }
}
