import Foundation

/// A part of a predicate, in the form from which both SQL and the evaluator are derived.
///
/// A term that is a non-optional Bool is never NULL in either form: comparisons of optionals don't compile in Swift, and
/// equality with `nil` is lowered to SQL's IS.
struct Term {
  let operation: TermOperation
  let kind: ValueKind
  /// Whether the value may be `nil`.
  var isOptional: Bool
  /// The properties derived from the subterms. Stored, because they are read at each level of a term.
  let analysis: TermAnalysis

  init(_ operation: TermOperation, _ kind: ValueKind, isOptional: Bool = false) {
    self.operation = operation
    self.kind = kind
    self.isOptional = isOptional
    analysis = TermAnalysis(operation, kind)
  }

  static func condition(_ operation: TermOperation) -> Term { Term(operation, .bool) }

  /// Returns a term that is true if all terms are true. Nested conjunctions are merged, so that many have at most depth two.
  static func all(_ terms: [Term]) -> Term {
    let parts = terms.count == 1 ? terms : terms.flatMap(\.conjuncts)
    guard parts.count > 1 else { return parts.first ?? .condition(.constant(true)) }
    return .condition(.and(parts))
  }

  /// Returns the negation of a term. A double negation is removed, so that repeated negation in a loop adds no depth.
  static func negated(_ term: Term) -> Term {
    if case .not(let inner) = term.operation { inner } else { .condition(.not(term)) }
  }

  /// Returns a term that is true if at least one term is true.
  static func any(_ terms: [Term]) -> Term {
    let parts = terms.count == 1 ? terms : terms.flatMap(\.disjuncts)
    guard parts.count > 1 else { return parts.first ?? .condition(.constant(false)) }
    return .condition(.or(parts))
  }
}

/// The operation of a ``Term``.
indirect enum TermOperation {
  /// An object, to which only key paths can be applied: 0 is the object that is evaluated, other numbers are related
  /// objects.
  case object(Int)
  /// The value of a column, by its reference (see ``ColumnReference``).
  case column(Int)
  /// A bound value.
  case parameter(Int)
  case null
  case constant(Bool)
  case emptyText

  case equal(Term, Term)
  case compare(ComparisonOrder, Term, Term)
  /// Two or more terms, none of which has the same operator: see ``Term/all(_:)``.
  case and([Term])
  case or([Term])
  case not(Term)

  case arithmetic(ArithmeticOperation, Term, Term)
  case negate(Term)

  case conditional(Term, Term, Term)
  case coalesce(Term, Term)
  /// The second term if the first is not nil, otherwise nil.
  case whenPresent(Term, Term)
  case isPresent(Term)
  case unwrap(Term)

  case containsText(Term, Term)
  case startsWith(Term, Term)
  case stringFunction(StringFunction, Term, Term)
  case byteCount(Term)
  /// Whether a bound list contains the value; never true for nil.
  case isMember(Term, list: Int)

  case characterCount(Term)

  /// The object's row ID.
  case rowIdentifier
  /// An object's identifier as a Swift value, and its row ID in the store.
  case identifier(EntityIdentity, Term)
  /// A to-many relationship, whose elements can be tested.
  case collection(CollectionTerm)
  /// Whether a to-many relationship has an element.
  case exists(CollectionTerm)
  /// The number of elements in a to-many relationship.
  case count(CollectionTerm)
  /// A value in several columns.
  case composite(CompositeTerm)
  /// A value stored as JSON in one column.
  case json(column: Int, StructuredValueReader)
  /// A captured value that is not a scalar.
  case captured(CapturedValue)
  /// A range, which supports only `contains`.
  case range(lower: Term?, upper: Term?, includesUpper: Bool)

  // Operations without SQL.

  /// An element of the sequence that an iteration visits, by the iteration's number.
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

/// The columns of a composite.
struct CompositeTerm {
  var members: [CompositeMember]
  /// The index in the layout of the codec's first column; the members' column indexes are relative to it.
  var firstColumn: Int
  /// The presence column of an optional composite.
  var presence: Int?
  /// The composite as a value.
  var reader: StructuredValueReader
  /// Whether this is a member of another composite.
  var isMember = false
  /// The condition that the composite has a value, if an enclosing value is optional and the composite has no presence
  /// column.
  var presenceCondition: Term?

  /// Returns the composite with a condition for the presence of the enclosing value.
  ///
  /// - Parameter test: Whether the enclosing value is present.
  func addingPresenceCondition(_ test: Term) -> CompositeTerm {
    var result = self
    // If the enclosing value is nil, the composite's own presence column is not 1.
    if presence == nil { result.presenceCondition = presenceCondition.map { .all([test, $0]) } ?? test }
    return result
  }

  /// Returns whether this is a part of another composite.
  func isWithin(_ other: CompositeTerm) -> Bool { columns.isSubset(of: other.columns) }
}
