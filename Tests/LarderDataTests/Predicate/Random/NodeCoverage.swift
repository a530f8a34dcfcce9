/// How often each expression was seen, and how it was answered.
struct NodeCoverage {
  var inSQL: [String: Int] = [:]
  var inSwift: [String: Int] = [:]
  /// With an operand that is nil for some object.
  var withNil: [String: Int] = [:]
  var predicates = 0
  var wholeSQL = 0
  var failing = 0
  var comparedWithFoundation = 0

  /// Nodes that both halves can be asked for.
  static let both = [
    "Arithmetic", "ClosedRange.contains", "CollectionContainsCollection", "Comparison", "Conditional", "Conjunction",
    "Disjunction", "Equal", "FloatDivision", "ForcedUnwrap", "IntDivision", "IntRemainder", "KeyPath", "Negation",
    "NilCoalesce", "NilLiteral", "NotEqual", "OptionalFlatMap", "Range.contains", "SequenceContains",
    "SequenceStartsWith", "TypeCheck", "ConditionalCast", "ForceCast", "UnaryMinus", "Value", "Applied",
    "persistentModelID",
    "localizedStandardContains", "localizedCompare", "caseInsensitiveCompare", "count of String",
  ]
  /// Nodes that are Swift's alone, of what isn't captured.
  static let swiftOnly = [
    "CollectionIndexSubscript", "CollectionRangeSubscript", "DictionaryKeySubscript",
    "DictionaryKeyDefaultValueSubscript", "Filter", "SequenceAllSatisfy", "SequenceContainsWhere", "SequenceMaximum",
    "SequenceMinimum", "StringContainsRegex",
  ]
  static let nullable = [
    "Equal", "NotEqual", "NilCoalesce", "OptionalFlatMap", "ForcedUnwrap", "Conditional", "SequenceContains",
    "TypeCheck",
    "ConditionalCast", "NilLiteral",
  ]

  mutating func count(_ nodes: Set<String>, nullable: Set<String>, isWholeSQL: Bool, isWholeSwift: Bool) {
    predicates += 1
    if isWholeSQL { wholeSQL += 1 }
    for node in nodes {
      if isWholeSQL { inSQL[node, default: 0] += 1 }
      if isWholeSwift { inSwift[node, default: 0] += 1 }
    }
    for node in nullable { withNil[node, default: 0] += 1 }
  }

  var rarest: String {
    let counts =
      Self.both.map { ($0 + " in SQL", inSQL[$0, default: 0]) }
      + (Self.both + Self.swiftOnly).map { ($0 + " in Swift", inSwift[$0, default: 0]) }
      + Self.nullable.map { ($0 + " with nil", withNil[$0, default: 0]) }
    return counts.sorted { $0.1 < $1.1 }.prefix(4).map { "\($0.0) \($0.1)" }.joined(separator: ", ")
  }

  /// What was seen less often than wanted.
  func missing(atLeast wanted: Int) -> [String] {
    Self.both.filter { inSQL[$0, default: 0] < wanted }.map { "\($0) in SQL: \(inSQL[$0, default: 0])" }
      + (Self.both + Self.swiftOnly).filter { inSwift[$0, default: 0] < wanted }
      .map { "\($0) in Swift: \(inSwift[$0, default: 0])" }
      + Self.nullable.filter { withNil[$0, default: 0] < wanted }.map { "\($0) with nil: \(withNil[$0, default: 0])" }
  }
}
