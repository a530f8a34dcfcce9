/// Properties of a term that are derived from its subterms.
struct TermAnalysis {
  /// The number of levels of the term, its own included.
  let height: Int
  /// Whether the evaluation can fail, so that the term must not be evaluated where Swift wouldn't evaluate it.
  let mayFail: Bool
  /// Whether the value may be a NaN, which SQLite represents as NULL.
  let mayBeNaN: Bool
  /// Whether the term has SQL.
  let isSQL: Bool
  /// Whether the value depends on the object.
  let dependsOnObject: Bool
  /// The elements that the term reads from enclosing iterations, by their numbers.
  let locals: Set<Int>

  init(_ operation: TermOperation, _ kind: ValueKind) {
    let children = operation.children
    height = 1 + children.reduce(0) { max($0, $1.analysis.height) }
    mayFail = TermAnalysis.mayFail(operation, kind, children)
    mayBeNaN = TermAnalysis.mayBeNaN(operation, kind, children)
    isSQL = TermAnalysis.isSQL(operation, children)
    dependsOnObject = TermAnalysis.readsObject(operation) || children.contains(where: \.analysis.dependsOnObject)
    var locals = children.reduce(into: Set<Int>()) { $0.formUnion($1.analysis.locals) }
    switch operation {
    case .local(let number): locals.insert(number)
    case .iterate(let iteration): locals.remove(iteration.local)
    default: break
    }
    self.locals = locals
  }

  private static func mayFail(_ operation: TermOperation, _ kind: ValueKind, _ children: [Term]) -> Bool {
    switch operation {
    case .unwrap: true
    case .call(let call): call.mayFail || children.contains(where: \.mayFail)
    case .arithmetic(let operation, _, _):
      kind.isInteger || operation == .remainder || children.contains(where: \.mayFail)
    case .negate: kind.isInteger || children.contains(where: \.mayFail)
    default: children.contains(where: \.mayFail)
    }
  }

  private static func mayBeNaN(_ operation: TermOperation, _ kind: ValueKind, _ children: [Term]) -> Bool {
    guard kind.isReal else { return false }
    switch operation {
    case .arithmetic, .local, .call: return true
    default: return children.contains(where: \.mayBeNaN)
    }
  }

  private static func isSQL(_ operation: TermOperation, _ children: [Term]) -> Bool {
    switch operation {
    case .object, .collection, .identifier, .composite, .captured, .json, .range, .local, .call, .iterate: false
    case .isPresent(let term):
      if case .json = term.operation { true } else { term.isSQL }
    default: children.allSatisfy(\.isSQL)
    }
  }

  private static func readsObject(_ operation: TermOperation) -> Bool {
    switch operation {
    case .object, .column, .rowIdentifier, .collection, .exists, .count, .composite, .json: true
    default: false
    }
  }
}

extension Term {
  var mayFail: Bool { analysis.mayFail }
  var mayBeNaN: Bool { analysis.mayBeNaN }
  var isSQL: Bool { analysis.isSQL }
  var height: Int { analysis.height }

  /// 1,000: predicates in source code have fewer than 20. Functions over a term recurse once for each level.
  static var maximumHeight: Int { 1_000 }
}
