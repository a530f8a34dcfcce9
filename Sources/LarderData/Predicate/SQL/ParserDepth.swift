/// The depth of a condition's SQL on the stack of SQLite's parser, which holds 100 entries.
///
/// An entry is a token that waits for the tokens after it: an opening parenthesis, a CASE with its parts so far, an operator
/// and its left side. The count is never less than the parser's: an operator is assumed to wait until its parenthesis is
/// closed.
enum ParserDepth {
  /// 80: the rest is for the statement around the condition.
  static let limit = 80
  /// 128: the minimum length of a deep condition, so that shorter ones are not scanned: a level has a parenthesis, an
  /// operator and two operands, and counts for five.
  private static let minimumLength = 128

  /// A parenthesis or a CASE, and the operators that wait within it.
  private struct Frame {
    var cost = 0
    var isCase = false
    var waiting: Operators = []
  }

  /// Operators of equal precedence never wait for one another.
  private struct Operators: OptionSet {
    let rawValue: UInt16

    static let or = Operators(rawValue: 1)
    static let and = Operators(rawValue: 2)
    static let not = Operators(rawValue: 4)
    static let comma = Operators(rawValue: 8)
    static let join = Operators(rawValue: 16)
    static let on = Operators(rawValue: 32)
    static let collate = Operators(rawValue: 64)
    static let equality = Operators(rawValue: 128)
    static let order = Operators(rawValue: 256)
    static let sum = Operators(rawValue: 512)
    static let product = Operators(rawValue: 1024)
  }

  static func isTooDeep(_ sql: String) -> Bool { sql.utf8.count > minimumLength && of(sql) > limit }

  static func of(_ sql: String) -> Int {
    var sql = sql
    return sql.withUTF8 { depth(of: $0) }
  }

  private static func depth(of text: UnsafeBufferPointer<UInt8>) -> Int {
    var frames = [Frame()]
    var (total, deepest) = (0, 0)
    func add(_ cost: Int) {
      frames[frames.count - 1].cost += cost
      total += cost
      deepest = max(deepest, total)
    }
    func open(_ cost: Int, isCase: Bool = false) {
      frames.append(Frame(isCase: isCase))
      add(cost)
    }
    func close() {
      guard frames.count > 1 else { return }
      total -= frames.removeLast().cost
    }
    func wait(_ operators: Operators) {
      if frames[frames.count - 1].waiting.insert(operators).inserted { add(2) }
    }
    var place = 0
    while place < text.count {
      let first = text[place]
      place += 1
      switch first {
      // With the name of a function before it, and the start of its arguments.
      case UInt8(ascii: "("): open(3)
      case UInt8(ascii: ")"): close()
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        while place < text.count, text[place] != first { place += 1 }
        place += 1
      case UInt8(ascii: ","): wait(.comma)
      case UInt8(ascii: "="): wait(.equality)
      case UInt8(ascii: "<"), UInt8(ascii: ">"):
        let isUnequal = place < text.count && first == UInt8(ascii: "<") && text[place] == UInt8(ascii: ">")
        while place < text.count, text[place] >= UInt8(ascii: "<"), text[place] <= UInt8(ascii: ">") { place += 1 }
        wait(isUnequal ? .equality : .order)
      case UInt8(ascii: "+"), UInt8(ascii: "-"): wait(.sum)
      case UInt8(ascii: "*"), UInt8(ascii: "/"), UInt8(ascii: "%"): wait(.product)
      case _ where isWordByte(first):
        let start = place - 1
        while place < text.count, isWordByte(text[place]) { place += 1 }
        // The longest relevant keyword is COLLATE.
        guard place - start <= 7 else { continue }
        switch String(decoding: text[start..<place], as: UTF8.self) {
        case "CASE": open(5, isCase: true)
        case "END": if frames.last?.isCase == true { close() }
        case "SELECT": add(6)
        case "OR": wait(.or)
        case "AND": wait(.and)
        case "NOT": wait(.not)
        case "JOIN": wait(.join)
        case "ON": wait(.on)
        case "COLLATE": wait(.collate)
        case "IS", "IN": wait(.equality)
        default: break
        }
      default: break
      }
    }
    return deepest
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
      true
    default: false
    }
  }
}
