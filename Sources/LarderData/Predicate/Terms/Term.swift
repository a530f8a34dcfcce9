import Foundation

/// A part of a predicate in the form that both SQL and the evaluator are made from.
///
/// A term that is a Bool, and not an optional one, is never NULL in either half: comparisons of optionals don't
/// compile in Swift, and equality with `nil` is lowered to what SQL calls IS.
struct Term {
  let operation: TermOperation
  let kind: ValueKind
  /// Whether the value may be `nil`.
  var isOptional: Bool
  /// What follows from its parts. Kept, because it is asked at each level of a term.
  let analysis: TermAnalysis

  init(_ operation: TermOperation, _ kind: ValueKind, isOptional: Bool = false) {
    self.operation = operation
    self.kind = kind
    self.isOptional = isOptional
    analysis = TermAnalysis(operation, kind)
  }

  static func condition(_ operation: TermOperation) -> Term { Term(operation, .bool) }

  /// True where all are. Those that are joined likewise become parts of it, so that many are no deeper than two.
  static func all(_ terms: [Term]) -> Term {
    let parts = terms.count == 1 ? terms : terms.flatMap(\.conjuncts)
    guard parts.count > 1 else { return parts.first ?? .condition(.constant(true)) }
    return .condition(.and(parts))
  }

  /// What is negated twice, as in a loop, is no deeper for it.
  static func negated(_ term: Term) -> Term {
    if case .not(let inner) = term.operation { inner } else { .condition(.not(term)) }
  }

  /// True where at least one is.
  static func any(_ terms: [Term]) -> Term {
    let parts = terms.count == 1 ? terms : terms.flatMap(\.disjuncts)
    guard parts.count > 1 else { return parts.first ?? .condition(.constant(false)) }
    return .condition(.or(parts))
  }
}

/// What a ``Term`` does.
indirect enum TermOperation {
  /// An object, which only key paths can be applied to: 0 is the one that the predicate is asked of, others are those
  /// that relationships lead to.
  case object(Int)
  /// The value of a column, by its ``Place``.
  case column(Int)
  /// A value that is bound.
  case parameter(Int)
  case null
  case constant(Bool)
  case emptyText

  case equal(Term, Term)
  case compare(ComparisonOrder, Term, Term)
  /// Two or more, none of which is joined likewise: see ``Term/all(_:)``.
  case and([Term])
  case or([Term])
  case not(Term)

  case arithmetic(ArithmeticOperation, Term, Term)
  case negate(Term)

  case conditional(Term, Term, Term)
  case coalesce(Term, Term)
  /// The second where the first is not nil, else nil.
  case whenPresent(Term, Term)
  case isPresent(Term)
  case unwrap(Term)

  case containsText(Term, Term)
  case startsWith(Term, Term)
  case stringFunction(StringFunction, Term, Term)
  case byteCount(Term)
  /// Whether a list that is bound has the value; never true for nil.
  case isMember(Term, list: Int)

  case characterCount(Term)

  /// The number by which the object's row is known.
  case rowIdentifier
  /// An object's identifier as a value of Swift's, and the number that it has in the store.
  case identifier(EntityIdentity, Term)
  /// A to-many, of whose elements questions can be asked.
  case collection(CollectionTerm)
  /// Whether a to-many has an element.
  case exists(CollectionTerm)
  /// How many elements a to-many has.
  case count(CollectionTerm)
  /// A value that lies in several columns.
  case composite(CompositeTerm)
  /// A value kept as JSON in one column.
  case json(column: Int, StructuredValueReader)
  /// A captured value that is no scalar.
  case captured(CapturedValue)
  /// A range, of which only `contains` can be asked.
  case range(lower: Term?, upper: Term?, includesUpper: Bool)

  // What SQL cannot say.

  /// An element of a sequence that an iteration goes through, by the iteration's number.
  case local(Int)
  case call(SwiftCall)
  case iterate(SwiftIteration)
}

enum ComparisonOrder: Sendable {
  case less, lessOrEqual, greater, greaterOrEqual
}

enum ArithmeticOperation: Sendable {
  case add, subtract, multiply, divide, remainder
}

/// A composite's columns.
struct CompositeTerm {
  var members: [CompositeMember]
  /// The place in the layout of the codec's first column, which the members' places are relative to.
  var firstColumn: Int
  /// The column that says whether an optional composite is there.
  var presence: Int?
  /// The composite as a value.
  var reader: StructuredValueReader
  /// Whether it is a member of another one.
  var isMember = false
  /// What says whether it is there, where it lies in what may not be and has no column for that itself.
  var presenceCondition: Term?

  /// - Parameter test: Whether that is there which has it.
  func addingPresenceCondition(_ test: Term) -> CompositeTerm {
    var result = self
    // Its own column says no where the other one is not there.
    if presence == nil { result.presenceCondition = presenceCondition.map { .all([test, $0]) } ?? test }
    return result
  }

  /// Whether it is a part of another one.
  func isWithin(_ other: CompositeTerm) -> Bool { columns.isSubset(of: other.columns) }
}
