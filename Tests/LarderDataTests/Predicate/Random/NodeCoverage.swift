/// How often each expression was seen, and how it was answered.
struct NodeCoverage {
  private(set) var inSQL: [String: Int] = [:]
  private(set) var inSwift: [String: Int] = [:]
  /// With an operand that is nil for some object.
  private(set) var withNil: [String: Int] = [:]
  /// Asked while something was pending that it reads.
  private(set) var whilePending: [String: Int] = [:]
  private(set) var unknown: Set<String> = []
  private(set) var predicates = 0
  private(set) var wholeSQL = 0
  /// Asked by joining tables.
  private(set) var joined = 0
  var failing = 0
  var comparedWithFoundation = 0

  /// Expressions that the database can be asked, and that Swift is asked where others beside them cannot.
  static let both = [
    "Applied", "Arithmetic", "ClosedRange", "CollectionContainsCollection", "Comparison", "Conditional",
    "ConditionalCast", "Conjunction", "Disjunction", "Equal", "Equal of related",
    "Filter of related", "FloatDivision", "ForceCast", "ForcedUnwrap", "ForcedUnwrap of related", "IntDivision",
    "IntRemainder", "KeyPath", "KeyPath to identifier", "KeyPath to many", "KeyPath to one", "Negation", "NilCoalesce",
    "NilLiteral", "NotEqual", "NotEqual of related", "OptionalFlatMap", "OptionalFlatMap of related", "Range",
    "RangeExpressionContains", "SequenceAllSatisfy of related", "SequenceContains", "SequenceContains of related",
    "SequenceContainsWhere of related", "SequenceStartsWith", "TypeCheck", "UnaryMinus", "Value", "Variable",
    "caseInsensitiveCompare", "count of String", "count of related", "isEmpty of related", "localizedCompare",
    "localizedStandardContains",
  ]
  /// Expressions that are Swift's alone, of what isn't captured.
  static let swiftOnly = [
    "CollectionIndexSubscript", "CollectionRangeSubscript", "DictionaryKeyDefaultValueSubscript",
    "DictionaryKeySubscript", "Filter", "SequenceAllSatisfy", "SequenceContainsWhere", "SequenceMaximum",
    "SequenceMinimum", "StringContainsRegex",
  ]
  /// Have no operand that could be nil.
  static let withoutOperand: Set = ["Value", "Variable", "KeyPath to identifier"]

  mutating func count(_ nodes: NodeNames, isWholeSQL: Bool, isWholeSwift: Bool, isPending: Bool, isJoined: Bool) {
    predicates += 1
    if isWholeSQL { wholeSQL += 1 }
    if isJoined { joined += 1 }
    for node in nodes.all {
      if isWholeSQL { inSQL[node, default: 0] += 1 }
      if isWholeSwift { inSwift[node, default: 0] += 1 }
      if isPending { whilePending[node, default: 0] += 1 }
    }
    for node in nodes.withNil { withNil[node, default: 0] += 1 }
    unknown.formUnion(nodes.unknown)
  }

  private var counts: [(String, Int)] {
    let all = Self.both + Self.swiftOnly
    return Self.both.map { ("\($0) in SQL", inSQL[$0, default: 0]) }
      + all.map { ("\($0) in Swift", inSwift[$0, default: 0]) }
      + all.map { ("\($0) while pending", whilePending[$0, default: 0]) }
      + all.filter { !Self.withoutOperand.contains($0) }.map { ("\($0) with nil", withNil[$0, default: 0]) }
  }

  var rarest: String {
    counts.sorted { $0.1 < $1.1 }.prefix(6).map { "\($0.0) \($0.1)" }.joined(separator: ", ")
  }

  /// What was seen less often than wanted.
  func missing(atLeast wanted: Int) -> [String] {
    counts.filter { $0.1 < wanted }.map { "\($0.0): \($0.1)" } + unknown.map { "\($0) is not counted" }
      + Set(inSQL.keys).union(inSwift.keys).subtracting(Self.both + Self.swiftOnly).map { "\($0) is in no list" }
  }
}
