/// What is known of a term by its parts.
struct TermFacts {
  /// How many terms lie within one another, itself counted.
  let height: Int
  /// Whether evaluating it can fail, so that it must not be evaluated where Swift wouldn't.
  let mayFail: Bool
  /// Whether it may be a NaN, which SQLite has as NULL only.
  let mayBeNaN: Bool
  /// Whether the database can be asked.
  let isSQL: Bool
  /// Whether it reads something of an object, and is not the same for all of them.
  let isOfObject: Bool
  /// The elements that it reads of iterations around it, by their numbers.
  let locals: Set<Int>

  init(_ operation: Operation, _ kind: ValueKind) {
    let children = operation.children
    height = 1 + children.reduce(0) { max($0, $1.facts.height) }
    mayFail = TermFacts.mayFail(operation, kind, children)
    mayBeNaN = TermFacts.mayBeNaN(operation, kind, children)
    isSQL = TermFacts.isSQL(operation, children)
    isOfObject = TermFacts.readsObject(operation) || children.contains(where: \.facts.isOfObject)
    var locals = children.reduce(into: Set<Int>()) { $0.formUnion($1.facts.locals) }
    switch operation {
    case .local(let number): locals.insert(number)
    case .iterate(let iteration): locals.remove(iteration.local)
    default: break
    }
    self.locals = locals
  }

  private static func mayFail(_ operation: Operation, _ kind: ValueKind, _ children: [Term]) -> Bool {
    switch operation {
    case .unwrap: true
    case .call(let call): call.mayFail || children.contains(where: \.mayFail)
    case .arithmetic(let operation, _, _):
      kind.isInteger || operation == .remainder || children.contains(where: \.mayFail)
    case .negate: kind.isInteger || children.contains(where: \.mayFail)
    default: children.contains(where: \.mayFail)
    }
  }

  private static func mayBeNaN(_ operation: Operation, _ kind: ValueKind, _ children: [Term]) -> Bool {
    guard kind.isReal else { return false }
    switch operation {
    case .arithmetic, .local, .call: return true
    default: return children.contains(where: \.mayBeNaN)
    }
  }

  private static func isSQL(_ operation: Operation, _ children: [Term]) -> Bool {
    switch operation {
    case .object, .collection, .identifier, .composite, .captured, .json, .range, .local, .call, .iterate: false
    case .isPresent(let term):
      if case .json = term.operation { true } else { term.isSQL }
    default: children.allSatisfy(\.isSQL)
    }
  }

  private static func readsObject(_ operation: Operation) -> Bool {
    switch operation {
    case .object, .column, .rowIdentifier, .collection, .exists, .count, .composite, .json: true
    default: false
    }
  }
}

extension Term {
  var mayFail: Bool { facts.mayFail }
  var mayBeNaN: Bool { facts.mayBeNaN }
  var isSQL: Bool { facts.isSQL }
  var height: Int { facts.height }

  /// 1,000: predicates that people write have less than 20. What goes through a term calls itself for each.
  static var highest: Int { 1_000 }
}
