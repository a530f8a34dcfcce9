/// Writes a term as the SQL of a condition, and records the values of its parameters.
///
/// Two decisions are made only here. *Where NULL may represent false*: in a condition of WHERE and under AND and OR it may,
/// so that comparisons stay plain and an index can serve them; everywhere else a Bool is 0 or 1. *When a part is
/// evaluated*: SQLite evaluates conditions in any order, so a part that may fail is placed in a CASE where Swift would not
/// have reached it.
struct SQLWriter<Dialect: SQLDialect> {
  let dialect: Dialect
  let columns: [ColumnLayout]
  /// The number of the first parameter.
  let firstParameter: Int
  /// The name of the model's rows: the table, or a part of it.
  let table: String
  /// The table itself, where the model's rows are a part of it.
  let tableName: String
  let related: [RelatedSource]
  /// The name of the model's own rows, where a name without it would be ambiguous.
  var rootName: String?
  private(set) var slots: [ParameterSlot] = []
  private var slotIndexes: [ParameterSlot: Int] = [:]
  /// Whether a part may fail. SQLite may replace a column by a constant that it equals. The guard of such a part would then
  /// not depend on a row, and the part would be evaluated for rows outside of the result, or for a value that no row has.
  var mayFail = false

  init(
    _ dialect: Dialect, columns: [ColumnLayout], table: String = "", tableName: String? = nil,
    related: [RelatedSource] = [], firstParameter first: Int = 1
  ) {
    self.dialect = dialect
    self.table = table
    self.tableName = tableName ?? table
    self.related = related
    self.columns = columns
    self.firstParameter = first
  }

  // MARK: - Conditions in which NULL may represent false

  mutating func condition(_ term: Term) -> String {
    switch term.operation {
    case .and: return conjunction(term.conjuncts)
    case .or: return disjunction(term.disjuncts)
    case .coalesce(let value, let other):
      if case .constant(false) = other.operation { return condition(value) }
    case .whenPresent(let test, let value):
      return shortCircuit([test, value])
    case .equal(let value, let other):
      if case .constant(true) = other.operation { return condition(value) }
      if case .constant(true) = value.operation { return condition(other) }
      if value.mayBeNaN || other.mayBeNaN { return "(\(equality(value, other)))" }
    case .compare(let order, let left, let right): return "(\(comparison(order, left, right)))"
    case .isMember(let value, let list): return "(\(membership(value, list)))"
    default: break
    }
    return expression(term)
  }

  private mutating func conjunction(_ terms: [Term]) -> String {
    guard let firstUnsafe = terms.firstIndex(where: \.mayFail) else { return joined(terms, by: " AND ") }
    guard firstUnsafe > 0 else {
      return terms.dropFirst().contains(where: \.mayFail) ? shortCircuit(terms[...]) : joined(terms, by: " AND ")
    }
    // Parts that cannot fail are written plainly, for an index; the others follow.
    let plain = joined(Array(terms[..<firstUnsafe]), by: " AND ")
    let rest = shortCircuit(terms[firstUnsafe...])
    return "(\(plain) AND CASE WHEN \(plain) THEN \(rest) ELSE 0 END)"
  }

  /// Writes conditions of which each is evaluated only if those before it are true. Any number of them has at most depth two.
  private mutating func shortCircuit(_ terms: ArraySlice<Term>) -> String {
    guard let last = terms.lastIndex(where: \.mayFail), last > terms.startIndex else {
      return joined(Array(terms), by: " AND ")
    }
    let guards = terms[..<last].map { condition($0) }
    let rest = joined(Array(terms[last...]), by: " AND ")
    if guards.count == 1 { return "CASE WHEN \(guards[0]) THEN \(rest) ELSE 0 END" }
    return "CASE \(guards.map { "WHEN \(dialect.isNotTrue($0)) THEN 0 " }.joined())ELSE \(rest) END"
  }

  private mutating func disjunction(_ terms: [Term]) -> String {
    guard let last = terms.lastIndex(where: \.mayFail), last > 0 else { return joined(terms, by: " OR ") }
    // Each is evaluated only if none before it is true.
    let alternatives = terms[..<last].map { "WHEN \(condition($0)) THEN 1 " }.joined()
    return "CASE \(alternatives)ELSE \(joined(Array(terms[last...]), by: " OR ")) END"
  }

  private mutating func joined(_ terms: [Term], by separator: String) -> String {
    var parts = terms.map { condition($0) }
    // In groups, and groups of groups: SQLite's parser limits the nesting of conditions.
    while parts.count > SQLWriter.maximumGroupSize {
      parts = stride(from: 0, to: parts.count, by: SQLWriter.maximumGroupSize).map { start in
        let group = parts[start..<min(start + SQLWriter.maximumGroupSize, parts.count)]
        return group.count == 1 ? parts[start] : "(\(group.joined(separator: separator)))"
      }
    }
    return parts.count == 1 ? parts[0] : "(\(parts.joined(separator: separator)))"
  }

  /// 100: SQLite's parser has a maximum depth of 1,000, and each condition joined by AND or OR is one level.
  private static var maximumGroupSize: Int { 100 }

  // MARK: - Expressions in which a Bool is 0 or 1, and an optional NULL

  mutating func expression(_ term: Term) -> String {
    switch term.operation {
    case .column(let place): return columnText(place)
    case .parameter(let index): return parameter(index, .value)
    case .null: return "NULL"
    case .constant(let value): return value ? "1" : "0"
    case .emptyText: return "''"
    case .equal(let left, let right): return "(\(equality(left, right)))"
    case .compare(let order, let left, let right):
      let text = comparison(order, left, right)
      return left.mayBeNaN || right.mayBeNaN ? "coalesce(\(text), 0)" : "(\(text))"
    case .and, .or:
      // The parts are never NULL here, but may have become NULL where it represents false.
      return "coalesce(\(condition(term)), 0)"
    case .not(let term): return negation(term)
    case .arithmetic(let operation, let left, let right):
      return dialect.arithmetic(operation, expression(left), expression(right), term.kind)
    case .negate(let operand): return dialect.negate(expression(operand), term.kind)
    case .conditional(let test, let yes, let no):
      return "CASE WHEN \(condition(test)) THEN \(expression(yes)) ELSE \(expression(no)) END"
    case .coalesce(let value, let other): return "coalesce(\(expression(value)), \(expression(other)))"
    case .whenPresent(let test, let value): return "CASE WHEN \(condition(test)) THEN \(expression(value)) END"
    case .isPresent(let term): return "(\(expression(term)) IS NOT NULL)"
    case .unwrap(let term): return dialect.unwrap(expression(term))
    case .containsText(let text, let part): return "(\(dialect.containsText(expression(text), expression(part))))"
    case .startsWith(let text, let prefix): return "(\(prefixMatch(text, prefix)))"
    case .stringFunction(let function, let left, let right):
      return dialect.stringFunction(function, expression(left), expression(right))
    case .byteCount(let term): return dialect.byteCount(expression(term))
    case .isMember(let value, let list):
      let text = membership(value, list)
      return value.isOptional || value.mayBeNaN ? "coalesce(\(text), 0)" : "(\(text))"
    case .characterCount(let term): return dialect.characterCount(expression(term))
    case .rowIdentifier: return columnText(Evaluator.rowIDReference)
    case .json(let column, _): return columnText(column)
    case .exists(let collection): return exists(collection)
    case .count(let collection): return count(collection)
    case .object, .collection, .identifier, .composite, .captured, .range, .local, .call, .iterate:
      // A plan passes to the database only parts with SQL.
      return "NULL"
    }
  }

  private mutating func negation(_ term: Term) -> String {
    switch term.operation {
    case .isPresent(let value): "(\(expression(value)) IS NULL)"
    case .equal(let left, let right) where !left.mayBeNaN && !right.mayBeNaN:
      left.isOptional || right.isOptional
        ? "(\(expression(left)) IS NOT \(expression(right)))" : "(\(expression(left)) <> \(expression(right)))"
    default: "(NOT \(expression(term)))"
    }
  }

  private mutating func equality(_ left: Term, _ right: Term) -> String {
    let (a, b) = (expression(left), expression(right))
    // A NaN, which is NULL here, equals nothing.
    if left.mayBeNaN || right.mayBeNaN { return "coalesce(\(a) = \(b), 0)" }
    if left.isOptional || right.isOptional { return dialect.isSame(a, b) }
    guard mayFail else { return "\(a) = \(b)" }
    return
      "\(left.isColumn ? dialect.withoutConstantPropagation(a) : a) = \(right.isColumn ? dialect.withoutConstantPropagation(b) : b)"
  }

  private mutating func comparison(_ order: ComparisonOrder, _ left: Term, _ right: Term) -> String {
    dialect.compare(order, expression(left), expression(right), left.kind)
  }

  private mutating func membership(_ value: Term, _ list: Int) -> String {
    dialect.isMember(expression(value), ofListIn: parameter(list, .list))
  }

  private mutating func prefixMatch(_ text: Term, _ prefix: Term) -> String {
    let (whole, beginning) = (expression(text), expression(prefix))
    guard case .parameter(let index) = prefix.operation else {
      return dialect.startsWith(whole, beginning, end: nil)
    }
    return dialect.startsWith(whole, beginning, end: parameter(index, .prefixUpperBound))
  }

  mutating func parameter(_ index: Int, _ role: ParameterSlot.Role) -> String {
    let slot = ParameterSlot(parameter: index, role: role)
    if let place = slotIndexes[slot] { return dialect.parameter(firstParameter + place) }
    slotIndexes[slot] = slots.count
    slots.append(slot)
    return dialect.parameter(firstParameter + slots.count - 1)
  }
}

/// One parameter of the SQL.
struct ParameterSlot: Hashable {
  enum Role {
    case value
    case list
    /// The upper bound of all strings that start with the value.
    case prefixUpperBound
  }

  var parameter: Int
  var role: Role
}

extension Term {
  fileprivate var isColumn: Bool {
    switch operation {
    case .column, .rowIdentifier: true
    default: false
    }
  }
}
