import TestSeeds

/// Makes documents, nearly all of them JSON, and then spoils some.
struct DocumentMaker {
  var random: SeededGenerator

  private static let strings = [
    "", "a", "id", "name", "x", "y", "list", "some_key", "é", "😀", "\u{2028}", "abcdefgh", "abcdefghi",
    "longer than two words",
    "\\n", "\\\"", "\\u0041", "\\ud83d\\ude00", "\\/", "\\\\", "red", "2020-01-02T03:04:05Z", "AQID", "https://a.b/c",
    "12345678-1234-1234-1234-123456789ABC", "\u{10FFFF}", "\\u0000",
  ]
  private static let numbers = [
    "0", "-0", "1", "-1", "127", "128", "255", "256", "-129", "1.5", "-0.0", "1e2", "1.0", "1E+3", "1e-7", "0.1",
    "100e-2",
    "9223372036854775807", "9223372036854775808", "18446744073709551615", "123456789012345678901234567890", "1e308",
    "1e309", "1e-400", "2.2250738585072011e-308", "0.30000000000000004", "1517966773840", "9007199254740993",
  ]
  private static let spaces = ["", "", "", "", "", " ", "\n", "\t", "\r\n", "  \n  "]
  private static let spoilers: [[UInt8]] = [
    [0], [0x22], [0x5C], [0x80], [0xC3], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xEF, 0xBB, 0xBF], [0x1F],
    Array("null".utf8), Array("tru".utf8), Array("NaN".utf8), Array("-".utf8), Array("01".utf8), Array("1.".utf8),
    Array("1e".utf8), Array("\\u".utf8), Array("\\ud800".utf8), Array("\\q".utf8), Array("[".utf8), Array("]".utf8),
    Array("{".utf8), Array("}".utf8), Array(",".utf8), Array(":".utf8), Array(",]".utf8), Array("/**/".utf8),
    Array("'".utf8), Array("+1".utf8), Array("[[[[[[[[[[[[".utf8), Array("\"a\":".utf8), Array(" ".utf8),
  ]

  mutating func document() -> [UInt8] {
    var text = space()
    value(&text, depth: Int.random(in: 0...4, using: &random))
    text += space()
    var bytes = Array(text.utf8)
    // Bytes that come before the first are looked at apart, so they come more often than chance would have it.
    if Int.random(in: 0..<16, using: &random) == 0 {
      bytes.insert(contentsOf: [0xEF, 0xBB, 0xBF].prefix(Int.random(in: 2...4, using: &random)), at: 0)
    }
    if Int.random(in: 0..<3, using: &random) == 0 {
      for _ in 0..<Int.random(in: 1...3, using: &random) { spoil(&bytes) }
    }
    return bytes
  }

  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &random)]
  }

  private mutating func space() -> String { pick(DocumentMaker.spaces) }

  private mutating func value(_ text: inout String, depth: Int) {
    switch Int.random(in: depth > 0 ? 0..<10 : 0..<6, using: &random) {
    case 0: text += pick(["null", "true", "false"])
    case 1, 2: number(&text)
    case 3...5: string(&text)
    case 6, 7:
      text += "["
      for index in 0..<Int.random(in: 0...4, using: &random) {
        if index > 0 { text += space() + "," }
        text += space()
        value(&text, depth: depth - 1)
      }
      text += space() + "]"
    default:
      text += "{"
      for index in 0..<Int.random(in: 0...5, using: &random) {
        if index > 0 { text += space() + "," }
        text += space()
        string(&text)
        text += space() + ":" + space()
        value(&text, depth: depth - 1)
      }
      text += space() + "}"
    }
  }

  private mutating func string(_ text: inout String) {
    text += "\""
    for _ in 0..<Int.random(in: 0...2, using: &random) + 1 { text += pick(DocumentMaker.strings) }
    text += "\""
  }

  private mutating func number(_ text: inout String) {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: text += "\(Int.random(in: -1_000_000...1_000_000, using: &random))"
    case 1:
      let value = Double(bitPattern: random.next())
      text += value.isFinite ? "\(value)" : "0"
    default: text += pick(DocumentMaker.numbers)
    }
  }

  private mutating func spoil(_ bytes: inout [UInt8]) {
    guard !bytes.isEmpty else { return bytes.append(UInt8.random(in: 0...255, using: &random)) }
    let place = Int.random(in: 0..<bytes.count, using: &random)
    switch Int.random(in: 0..<6, using: &random) {
    case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1: bytes.remove(at: place)
    case 2: bytes.removeSubrange(place...)
    case 3: bytes[place] = UInt8.random(in: 0...255, using: &random)
    case 4:
      let end = min(place + Int.random(in: 1...12, using: &random), bytes.count)
      bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0...bytes.count, using: &random))
    default: bytes.insert(contentsOf: pick(DocumentMaker.spoilers), at: place)
    }
  }
}
