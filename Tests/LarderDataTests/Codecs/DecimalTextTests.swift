import Foundation
import LarderData
import TestSeeds
import Testing

@Suite struct DecimalTextTests {
  /// Any decimal number (up to 39 digits, any exponent, either sign), and its text, made from the digits alone.
  private func random(_ random: inout SeededGenerator) throws -> (value: Decimal, text: String) {
    while true {
      // Below 2^128, which is what a Decimal holds; of all lengths alike.
      let number = (UInt128(random.next()) << 64 | UInt128(random.next())) >> Int.random(in: 0..<128, using: &random)
      let exponent = Int.random(in: -128...127, using: &random)
      let isNegative = Bool.random(using: &random)
      let significand = try #require(Decimal(string: String(number)))
      let value = Decimal(sign: isNegative ? .minus : .plus, exponent: exponent, significand: significand)
      if !value.isNaN { return (value, text(String(number), exponent, isNegative)) }
    }
  }

  private func text(_ digits: String, _ exponent: Int, _ isNegative: Bool) -> String {
    guard digits != "0" else { return "0" }
    var text = digits
    if exponent >= 0 {
      text += String(repeating: "0", count: exponent)
    } else {
      if text.count <= -exponent { text = String(repeating: "0", count: -exponent - text.count + 1) + text }
      text.insert(".", at: text.index(text.endIndex, offsetBy: exponent))
      while text.hasSuffix("0") { text.removeLast() }
      if text.hasSuffix(".") { text.removeLast() }
    }
    return (isNegative ? "-" : "") + text
  }

  @Test func everyDecimalHasOneTextAndComesBack() throws {
    var generator = Share.generator
    for _ in 0..<5_000 {
      let (value, text) = try random(&generator)
      let comment: Comment = "\(text), LARDER_SEED=\(generator.seed)"
      #expect(value._text == text, comment)
      #expect(value._text.utf8.count <= 168, comment)
      let copy = try #require(Decimal(_text: value._text), comment)
      #expect(copy == value, comment)
      #expect(copy._text == value._text, comment)
    }
  }

  @Test func extremes() throws {
    let largest = Decimal.greatestFiniteMagnitude
    let smallest = try #require(Decimal(string: "1e-128"))
    for value in [
      largest, -largest, smallest, -smallest, Decimal.pi, 0, 1, -1, Decimal(Int64.min), Decimal(UInt64.max),
    ] {
      #expect(Decimal(_text: value._text) == value)
    }
    #expect(try #require(Decimal(string: "1.10"))._text == "1.1")
    #expect(try #require(Decimal(string: "100"))._text == "100")
    #expect(try #require(Decimal(string: "1e3"))._text == "1000")
  }

  @Test(arguments: [
    "", "-", ".", "1.", ".5", "+1", "1,5", "1e5", "1abc", " 1", "1 ", "--1", "1-", "1.2.3", "NaN", "inf", "0x10", "١",
    "1" + String(repeating: "0", count: 168), "0." + String(repeating: "0", count: 140) + "1",
    "99999999999999999999999999999999999999999", "0.12345678901234567890123456789012345678901",
    "340282366920938463463374607431768211457", "1" + String(repeating: "0", count: 60) + "1",
  ])
  func textThatIsNoDecimal(_ text: String) {
    #expect(Decimal(_text: text) == nil)
  }

  @Test(arguments: [
    ("007", "7"), ("-0", "0"), ("-0.00", "0"), ("1.500", "1.5"), ("00.5", "0.5"), ("-12.340", "-12.34"),
    ("12345678901234567890123456789012345678", "12345678901234567890123456789012345678"),
    ("340282366920938463463374607431768211455", "340282366920938463463374607431768211455"),
    ("-0001234567890123456789012345678901234567890.000", "-1234567890123456789012345678901234567890"),
    (String(repeating: "0", count: 60) + "." + String(repeating: "0", count: 60), "0"),
    ("1" + String(repeating: "0", count: 160), "1" + String(repeating: "0", count: 160)),
  ])
  func plainTextByOthers(_ text: String, _ canonical: String) throws {
    #expect(try #require(Decimal(_text: text))._text == canonical)
  }

  @Test func storedDecimals() throws {
    let table = try CodecTable(Decimal.self)
    var generator = Share.generator
    for _ in 0..<100 { try table.expectRoundTrip(random(&generator).value, "LARDER_SEED=\(generator.seed)") }
    #expect(try table.refusal(.nan).contains("NaN"))
    #expect(try CodecTable(Decimal?.self).refusal(.nan).contains("NaN"))
  }
}
