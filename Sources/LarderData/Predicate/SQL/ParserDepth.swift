/// How deep a condition's text lies on the stack of SQLite's parser, which holds 100 entries.
///
/// An entry is a word that waits for what comes after it: an opening parenthesis, a CASE with what it has so far, an
/// operator and its left side. What is counted here is never less than what the parser needs: an operator is taken to
/// wait until its parenthesis is closed.
enum ParserDepth {
  /// 80: the rest is for the statement around the condition.
  static let limit = 80
  /// Bytes that a deep condition has at least, so that no other is looked through: a level has a parenthesis, an operator
  /// and two operands, and counts for five.
  private static let shortest = 128

  /// A parenthesis or a CASE, and which operators wait within it.
  private struct Frame {
    var cost: Int
    var isCase = false
    var waiting: Set<Substring> = []
  }

  static func isTooDeep(_ sql: String) -> Bool { sql.utf8.count > shortest && of(sql) > limit }

  static func of(_ sql: String) -> Int {
    var frames = [Frame(cost: 0)]
    var (total, deepest) = (0, 0)
    func add(_ cost: Int) {
      frames[frames.count - 1].cost += cost
      total += cost
      deepest = max(deepest, total)
    }
    func open(_ cost: Int, isCase: Bool = false) {
      frames.append(Frame(cost: 0, isCase: isCase))
      add(cost)
    }
    func close() {
      guard frames.count > 1 else { return }
      total -= frames.removeLast().cost
    }
    for word in words(of: sql) {
      switch word {
      // With the name of a function before it, and what its arguments begin with.
      case "(": open(3)
      case ")": close()
      case "CASE": open(5, isCase: true)
      case "END": if frames.last?.isCase == true { close() }
      case "SELECT": add(6)
      default:
        guard let kind = kind(of: word), frames[frames.count - 1].waiting.insert(kind).inserted else { continue }
        add(2)
      }
    }
    return deepest
  }

  /// Operators that bind alike never wait for one another.
  private static func kind(of word: Substring) -> Substring? {
    switch word {
    case "OR", "AND", "NOT", ",", "JOIN", "ON", "COLLATE": word
    case "=", "<>", "IS", "IN": "="
    case "<", "<=", ">", ">=": "<"
    case "+", "-": "+"
    case "*", "/", "%": "*"
    default: nil
    }
  }

  private static func words(of sql: String) -> [Substring] {
    var words: [Substring] = []
    var rest = sql[...]
    while let first = rest.first {
      var length = 1
      switch first {
      case " ": break
      case "\"", "'":
        length = (rest.dropFirst().firstIndex(of: first).map { rest.distance(from: rest.startIndex, to: $0) } ?? 0) + 1
      case "<", ">": length = rest.prefix { "<>=".contains($0) }.count
      case _ where first.isLetter || first == "_":
        length = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }.count
        words.append(rest.prefix(length))
      default: break
      }
      if !first.isLetter, first != "_", first != " ", first != "\"", first != "'" { words.append(rest.prefix(length)) }
      rest = rest.dropFirst(length)
    }
    return words
  }
}
