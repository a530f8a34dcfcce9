import Foundation

/// A part of a predicate in the form that both SQL and the evaluator are made from.
///
/// A term that is a Bool, and not an optional one, is never NULL in either half: comparisons of optionals don't
/// compile in Swift, and equality with `nil` is lowered to what SQL calls IS.
struct Term {
  var operation: Operation
  var kind: ValueKind
  /// Whether the value may be `nil`.
  var isOptional: Bool

  init(_ operation: Operation, _ kind: ValueKind, isOptional: Bool = false) {
    self.operation = operation
    self.kind = kind
    self.isOptional = isOptional
  }

  static func condition(_ operation: Operation) -> Term { Term(operation, .bool) }
}

/// What a ``Term`` does.
indirect enum Operation {
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
  case and(Term, Term)
  case or(Term, Term)
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
  case json(column: Int, StructureReader)
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
  var reader: StructureReader
  /// Whether it is a member of another one.
  var isMember = false
  /// What says whether it is there, where it lies in what may not be and has no column for that itself.
  var presentWhere: Term?

  /// - Parameter test: Whether that is there which has it.
  func presentWhere(_ test: Term) -> CompositeTerm {
    var result = self
    // Its own column says no where the other one is not there.
    if presence == nil { result.presentWhere = presentWhere.map { .condition(.and(test, $0)) } ?? test }
    return result
  }

  /// Whether it is a part of another one.
  func isWithin(_ other: CompositeTerm) -> Bool { columns.isSubset(of: other.columns) }
}

extension Term {
  /// Whether evaluating it can fail, so that it must not be evaluated where Swift wouldn't.
  var mayFail: Bool {
    switch operation {
    case .unwrap: true
    case .call(let call): call.mayFail || children.contains { $0.mayFail }
    case .arithmetic(let operation, let left, let right):
      kind.isInteger || operation == .remainder || left.mayFail || right.mayFail
    case .negate(let term): kind.isInteger || term.mayFail
    default: children.contains { $0.mayFail }
    }
  }

  /// Whether it may be a NaN, which SQLite has as NULL only.
  var mayBeNaN: Bool {
    guard kind.isReal else { return false }
    switch operation {
    case .arithmetic, .local, .call: return true
    default: return children.contains { $0.mayBeNaN }
    }
  }

  var children: [Term] {
    switch operation {
    case .object, .column, .parameter, .null, .constant, .emptyText, .rowIdentifier, .json, .captured, .local: []
    case .composite(let composite): composite.presentWhere.map { [$0] } ?? []
    case .identifier(_, let key): [key]
    case .collection(let collection), .exists(let collection), .count(let collection):
      collection.filter.map { [$0] } ?? []
    case .equal(let a, let b), .compare(_, let a, let b), .and(let a, let b), .or(let a, let b),
      .arithmetic(_, let a, let b), .coalesce(let a, let b), .whenPresent(let a, let b), .containsText(let a, let b),
      .startsWith(let a, let b), .stringFunction(_, let a, let b):
      [a, b]
    case .not(let a), .negate(let a), .isPresent(let a), .unwrap(let a), .byteCount(let a), .characterCount(let a),
      .isMember(let a, _):
      [a]
    case .conditional(let a, let b, let c): [a, b, c]
    case .range(let lower, let upper, _): [lower, upper].compactMap { $0 }
    case .call(let call): call.arguments
    case .iterate(let iteration): [iteration.sequence, iteration.test]
    }
  }

  /// Whether the database can be asked.
  var isSQL: Bool {
    switch operation {
    case .object, .collection, .identifier, .composite, .captured, .json, .range, .local, .call, .iterate: false
    case .isPresent(let term):
      if case .json = term.operation { true } else { term.isSQL }
    default: children.allSatisfy(\.isSQL)
    }
  }

  /// The terms that are joined by `&&` at the top.
  var conjuncts: [Term] {
    if case .and(let left, let right) = operation { return left.conjuncts + right.conjuncts }
    return [self]
  }

  /// The terms that are joined by `||` at the top.
  var disjuncts: [Term] {
    if case .or(let left, let right) = operation { return left.disjuncts + right.disjuncts }
    return [self]
  }
}
