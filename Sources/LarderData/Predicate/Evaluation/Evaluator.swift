import CLarderSQLite
import LarderSupport

/// Evaluates a term over an object's column values, with the same results and failures as SQL.
struct Evaluator {
  /// The index that requests an object's row ID.
  static let rowIDReference = -1

  /// Returns the stored value of a column, by its index in the layout.
  let value: (Int) throws -> _StoredValue
  let parameters: [ParameterValue]
  /// The memory for iterations and structured values; nil where there are none.
  let scratch: EvaluationScratch?
  /// The related objects; nil where the predicate follows no relationship.
  let related: (any RelatedObjectSource)?

  init(
    value: @escaping (Int) throws -> _StoredValue, parameters: [ParameterValue],
    scratch workspace: EvaluationScratch? = nil,
    related: (any RelatedObjectSource)? = nil
  ) {
    self.related = related
    self.value = value
    self.parameters = parameters
    self.scratch = workspace
  }

  func isTrue(_ term: Term) throws -> Bool {
    if case .integer(let value) = try evaluate(term) { value != 0 } else { false }
  }

  /// Calls the body with enough stack for the levels of a term.
  func withStackSpace<Result>(for term: Term, _ body: (Evaluator) throws -> Result) throws -> Result {
    if term.height <= Evaluator.maximumInlineHeight { return try body(self) }
    return try StackSpace.with(atLeast: StackSpace.minimum + term.height * StackSpace.perLevel) { try body(self) }
  }

  /// 24: more levels than in predicates written in source code; every stack has space for so many.
  private static var maximumInlineHeight: Int { 24 }

  func evaluate(_ term: Term) throws -> _StoredValue {
    switch term.operation {
    case .column(let index):
      // The store has no −0.
      let value = try value(index)
      return value == .real(0) ? .real(0) : value
    case .parameter(let index):
      guard case .scalar(let value) = parameters[index] else { return .null }
      return value
    case .null: return .null
    case .constant(let value): return bool(value)
    case .emptyText: return .text("")
    case .equal(let left, let right):
      let (a, b) = (try evaluate(left), try evaluate(right))
      // A NaN, which is NULL here, equals nothing.
      if a == .null, b == .null, left.mayBeNaN || right.mayBeNaN { return bool(false) }
      return bool(StoredOrder.isEqual(a, b))
    case .compare(let order, let left, let right):
      return bool(StoredOrder.compare(order, try evaluate(left), try evaluate(right), left.kind))
    case .and(let terms): return bool(try terms.allSatisfy(isTrue))
    case .or(let terms): return bool(try terms.contains(where: isTrue))
    case .not(let term): return bool(try !isTrue(term))
    case .arithmetic(let operation, let left, let right):
      return try CheckedArithmetic.apply(operation, try evaluate(left), try evaluate(right), term.kind)
    case .negate(let operand): return try CheckedArithmetic.negate(try evaluate(operand), term.kind)
    case .conditional(let test, let yes, let no): return try evaluate(isTrue(test) ? yes : no)
    case .coalesce(let value, let other):
      let value = try evaluate(value)
      return value == .null ? try evaluate(other) : value
    case .whenPresent(let test, let value): return try isTrue(test) ? evaluate(value) : .null
    case .isPresent(let term): return bool(try isPresent(term))
    case .unwrap(let term):
      let value = try evaluate(term)
      guard value != .null else { throw PredicateFailure.unexpectedNil }
      return value
    case .containsText(let text, let part):
      return try texts(text, part) { bool(UTF8Comparison.contains($0, $1)) }
    case .startsWith(let text, let prefix):
      return try texts(text, prefix) { bool($0.utf8.starts(with: $1.utf8)) }
    case .stringFunction(let function, let left, let right):
      return try texts(left, right) { .integer(function($0, $1)) }
    case .byteCount(let term):
      guard case .blob(let bytes) = try evaluate(term) else { return .null }
      return .integer(Int64(bytes.count))
    case .isMember(let term, let list):
      guard case .list(let values) = parameters[list] else { return bool(false) }
      let value = try evaluate(term)
      return bool(value != .null && values.contains(value))
    case .characterCount(let term):
      guard case .text(let text) = try evaluate(term) else { return .null }
      return .integer(Int64(text.count))
    case .rowIdentifier: return try value(Evaluator.rowIDReference)
    case .local, .call, .iterate:
      guard case .stored(let value) = try structuredValue(term) else { throw PredicateFailure.unexpectedValue }
      return value
    case .exists(let collection): return bool(try countMatches(in: collection, atMost: 1) > 0)
    case .count(let collection): return .integer(Int64(try countMatches(in: collection, atMost: .max)))
    case .object, .collection, .identifier, .composite, .json, .captured, .range: return .null
    }
  }

  /// Returns the number of elements in a to-many relationship that pass its filter. Stops at the limit.
  private func countMatches(in collection: CollectionTerm, atMost limit: Int) throws -> Int {
    guard let related else { throw PredicateFailure.unexpectedValue }
    var count = 0
    // The relationship may be counted again while one of its elements is being evaluated.
    let former = related.element(boundTo: collection.source)
    defer { related.bindElement(former, to: collection.source) }
    for element in try related.elements(of: collection.source) {
      related.bindElement(element, to: collection.source)
      guard try collection.filter.map(isTrue) ?? true else { continue }
      count += 1
      if count >= limit { break }
    }
    return count
  }

  private func bool(_ value: Bool) -> _StoredValue { .integer(value ? 1 : 0) }

  private func texts(
    _ left: Term, _ right: Term, _ body: (String, String) -> _StoredValue
  ) throws -> _StoredValue {
    guard case .text(let left) = try evaluate(left), case .text(let right) = try evaluate(right) else { return .null }
    return body(left, right)
  }
}
