/// What one evaluation after another keeps: elements of iterations, and structures that were read of the object.
final class Workspace {
  fileprivate var locals: [EvaluatedValue]
  fileprivate var read: [Int: EvaluatedValue] = [:]

  init(locals: Int) { self.locals = Array(repeating: .null, count: locals) }

  /// Forgets what was read of an object.
  func begin() { read.removeAll(keepingCapacity: true) }
}

extension Evaluator {
  /// The value of a term of any kind.
  func structure(_ term: Term) throws -> EvaluatedValue {
    switch term.operation {
    case .json(let column, let reader):
      if try value(column) == .null { return .null }
      return try read(reader)
    case .composite(let composite):
      if let test = composite.presentWhere, try !isTrue(test) { return .null }
      return try read(composite.reader, whole: composite)
    case .captured(let captured):
      guard case .swift(let structure) = parameters[captured.parameter] else { return .null }
      return structure.value
    case .identifier(let identity, let key):
      guard case .integer(let key) = try evaluate(key) else { return .null }
      return .swift(PersistentIdentifier(identity: identity, key: key, isSaved: true))
    case .object(let source):
      guard let object = try related?.object(source) else { return .null }
      return .swift(object)
    case .local(let number): return workspace?.locals[number] ?? .null
    case .call(let call): return try call.body(call.arguments.map { try structure($0) })
    case .iterate(let iteration):
      return try iteration.body(structure(iteration.sequence)) { element in
        workspace?.locals[iteration.local] = element
        return try isTrue(iteration.test)
      }
    case .conditional(let test, let yes, let no) where term.kind == .structure:
      return try structure(isTrue(test) ? yes : no)
    case .coalesce(let value, let other) where term.kind == .structure:
      let value = try structure(value)
      return value.isNull ? try structure(other) : value
    case .whenPresent(let test, let value) where term.kind == .structure:
      return try isTrue(test) ? structure(value) : .null
    case .unwrap(let term) where term.kind == .structure:
      let value = try structure(term)
      guard !value.isNull else { throw PredicateFailure.unexpectedNil }
      return value
    default: return .stored(try evaluate(term))
    }
  }

  func isPresent(_ term: Term) throws -> Bool {
    if case .json(let column, _) = term.operation { return try value(column) != .null }
    if term.kind == .structure { return try !structure(term).isNull }
    return try evaluate(term) != .null
  }

  private func read(_ reader: StructureReader, whole composite: CompositeTerm? = nil) throws -> EvaluatedValue {
    // A member's reader gives another value than that of the whole, of the same columns.
    let isWhole = composite?.isMember != true && Place.source(reader.columns.lowerBound) == 0
    if isWhole, let known = workspace?.read[reader.columns.lowerBound] { return known }
    let result = try reader.read(reader.columns.map { try value($0) })
    if isWhole { workspace?.read[reader.columns.lowerBound] = result }
    return result
  }
}
