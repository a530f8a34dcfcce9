/// Values shared by consecutive evaluations: elements of iterations, and structured values that were read from the object.
final class EvaluationScratch {
  fileprivate var locals: [EvaluatedValue]
  fileprivate var structureCache: [Int: EvaluatedValue] = [:]

  init(locals: Int) { self.locals = Array(repeating: .null, count: locals) }

  /// Clears the values that were read from an object.
  func reset() { structureCache.removeAll(keepingCapacity: true) }
}

extension Evaluator {
  /// Returns the value of a term of any kind.
  func structuredValue(_ term: Term) throws -> EvaluatedValue {
    switch term.operation {
    case .json(let column, let reader):
      if try value(column) == .null { return .null }
      return try readStructure(reader)
    case .composite(let composite):
      if let test = composite.presenceCondition, try !isTrue(test) { return .null }
      return try readStructure(composite.reader, whole: composite)
    case .captured(let captured):
      guard case .swift(let structure) = parameters[captured.parameter] else { return .null }
      return structure.value
    case .identifier(let identity, let key):
      guard case .integer(let key) = try evaluate(key) else { return .null }
      return .swift(PersistentIdentifier(identity: identity, key: key, isSaved: true))
    case .object(let source):
      guard let object = try related?.object(source) else { return .null }
      return .swift(object)
    case .local(let number): return scratch?.locals[number] ?? .null
    case .call(let call): return try call.body(call.arguments.map { try structuredValue($0) })
    case .iterate(let iteration):
      return try iteration.body(structuredValue(iteration.sequence)) { element in
        scratch?.locals[iteration.local] = element
        return try isTrue(iteration.test)
      }
    case .conditional(let test, let yes, let no) where term.kind == .structure:
      return try structuredValue(isTrue(test) ? yes : no)
    case .coalesce(let value, let other) where term.kind == .structure:
      let value = try structuredValue(value)
      return value.isNull ? try structuredValue(other) : value
    case .whenPresent(let test, let value) where term.kind == .structure:
      return try isTrue(test) ? structuredValue(value) : .null
    case .unwrap(let term) where term.kind == .structure:
      let value = try structuredValue(term)
      guard !value.isNull else { throw PredicateFailure.unexpectedNil }
      return value
    default: return .stored(try evaluate(term))
    }
  }

  func isPresent(_ term: Term) throws -> Bool {
    if case .json(let column, _) = term.operation { return try value(column) != .null }
    if term.kind == .structure { return try !structuredValue(term).isNull }
    return try evaluate(term) != .null
  }

  private func readStructure(_ reader: StructuredValueReader, whole composite: CompositeTerm? = nil) throws
    -> EvaluatedValue
  {
    // The reader of a member returns another value than the reader of the whole, from the same columns.
    let isWhole = composite?.isMember != true && ColumnReference.source(reader.columns.lowerBound) == 0
    if isWhole, let known = scratch?.structureCache[reader.columns.lowerBound] { return known }
    let result = try reader.read(reader.columns.map { try value($0) })
    if isWhole { scratch?.structureCache[reader.columns.lowerBound] = result }
    return result
  }
}
