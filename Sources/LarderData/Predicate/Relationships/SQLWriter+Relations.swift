// Objects at the other end of relationships. Each condition on a to-many relationship is a subquery. The objects of to-one
// relationships are joined to the table or the subquery whose rows have the relationship.

import LarderSupport

extension SQLWriter {
  /// Writes a condition on rows of the model's own table that can be used in any statement on it.
  mutating func writeCondition(_ term: Term) -> String {
    mayFail = term.mayFail
    guard !related.isEmpty else { return condition(term) }
    if case .exists(let collection) = term.operation, let list = ownersOfElements(collection) { return list }
    let joins = joins(in: 0, term)
    guard !joins.isEmpty else {
      rootName = dialect.identifier(table)
      return condition(term)
    }
    // As a list of rows: the statement keeps its own tables, and SQLite begins with a table that has an index.
    rootName = alias(of: 0)
    let id = dialect.identifier(StoreFormat.identifierColumn)
    let rows = "SELECT \(alias(of: 0)).\(id) FROM \(dialect.identifier(tableName)) AS \(alias(of: 0))\(joins) WHERE "
    var selection = rows
    if let likely = term.withPresentParameters {
      let isNil = likely.parameters.map { "\(parameter($0, .value)) IS NULL" }.joined(separator: " OR ")
      selection += "\(condition(likely.term)) UNION ALL \(rows)(\(isNil)) AND \(condition(term))"
    } else {
      selection += condition(term)
    }
    return "\(dialect.identifier(table)).\(id) IN (\(selection))"
  }

  /// Writes the same for a statement that reads the model's own table under its own name, and joins others to it.
  ///
  /// - Parameter objects: Objects without which the term is not true.
  mutating func writeJoinedCondition(_ term: Term, objects: [Int]) -> (joins: String, condition: String)? {
    guard !related.isEmpty, !term.mayFail else { return nil }
    rootName = dialect.identifier(table)
    var present: Set<Int> = []
    for object in objects {
      var number = object
      while number > 0, present.insert(number).inserted { number = related[number - 1].parent }
    }
    let joins = joins(in: 0, term, present: present)
    return joins.isEmpty ? nil : (joins, condition(term))
  }

  func alias(of source: Int) -> String { "\(StoreFormat.prefix)\(source)" }

  private func qualifier(_ source: Int) -> String { source == 0 ? rootName ?? alias(of: 0) : alias(of: source) }

  func columnText(_ place: Int) -> String {
    let source = ColumnReference.source(place)
    let layout = source == 0 ? columns : related[source - 1].layout.columns
    let column = dialect.identifier(
      ColumnReference.isRowID(place) ? StoreFormat.identifierColumn : layout[ColumnReference.columnIndex(place)].name)
    return related.isEmpty ? column : "\(qualifier(source)).\(column)"
  }

  private func identifier(of source: Int) -> String {
    "\(qualifier(source)).\(dialect.identifier(StoreFormat.identifierColumn))"
  }

  // MARK: To-many

  mutating func exists(_ collection: CollectionTerm) -> String { "EXISTS (SELECT 1\(rows(of: collection)))" }
  /// Writes a condition on one element as a list of owners, so that SQLite begins with the elements. Nil where the condition
  /// involves more.
  private mutating func ownersOfElements(_ collection: CollectionTerm) -> String? {
    guard let filter = collection.filter, !filter.mayFail, isLimited(to: collection.source, filter) else { return nil }
    let element = related[collection.source - 1]
    guard element.parent == 0 else { return nil }
    let (name, id) = (alias(of: collection.source), dialect.identifier(StoreFormat.identifierColumn))
    let elements = "\(dialect.identifier(element.layout.tableName)) AS \(name)"
    let selection: String
    switch element.relationship?.storage {
    case .foreignKey, nil: return nil
    case .inverse(let key): selection = "\(name).\(keyColumn(key, of: element.layout)) FROM \(elements)"
    case .joinTable(let joinTable, let isSource):
      let (own, other) =
        isSource
        ? (JoinTable.sourceColumn, JoinTable.targetColumn) : (JoinTable.targetColumn, JoinTable.sourceColumn)
      let pairs = "\(name)_pairs"
      selection =
        "\(pairs).\(own) FROM \(elements) JOIN \(dialect.identifier(joinTable.name)) AS \(pairs) ON "
        + "\(pairs).\(other) = \(name).\(id)"
    }
    let joins = joins(in: collection.source, filter)
    return "\(dialect.identifier(table)).\(id) IN (SELECT \(selection)\(joins) WHERE \(condition(filter)))"
  }

  /// Returns whether a term accesses only one object, and those that are reached from it.
  private func isLimited(to source: Int, _ term: Term) -> Bool {
    func isReached(_ number: Int) -> Bool {
      var number = number
      while number > 0, number != source { number = related[number - 1].parent }
      return number == source
    }
    switch term.operation {
    case .column(let place): return isReached(ColumnReference.source(place))
    case .json(let column, _): return isReached(ColumnReference.source(column))
    case .rowIdentifier: return false
    case .exists(let collection), .count(let collection):
      return isReached(related[collection.source - 1].parent) && term.children.allSatisfy { isLimited(to: source, $0) }
    default: return term.children.allSatisfy { isLimited(to: source, $0) }
    }
  }

  mutating func count(_ collection: CollectionTerm) -> String { "(SELECT count(*)\(rows(of: collection)))" }

  private mutating func rows(of collection: CollectionTerm) -> String {
    let element = related[collection.source - 1]
    let name = alias(of: collection.source)
    let id = dialect.identifier(StoreFormat.identifierColumn)
    let parent = identifier(of: element.parent)
    let table = dialect.identifier(element.layout.tableName)
    var text: String
    var conditions: [String]
    switch element.relationship?.storage {
    case .foreignKey, nil: return ""
    case .inverse(let key):
      text = " FROM \(table) AS \(name)"
      conditions = ["\(name).\(keyColumn(key, of: element.layout)) = \(parent)"]
    case .joinTable(let joinTable, let isSource):
      let (own, other) =
        isSource
        ? (JoinTable.sourceColumn, JoinTable.targetColumn) : (JoinTable.targetColumn, JoinTable.sourceColumn)
      let pairs = "\(name)_pairs"
      text =
        " FROM \(dialect.identifier(joinTable.name)) AS \(pairs) JOIN \(table) AS \(name) ON \(name).\(id) = \(pairs).\(other)"
      conditions = ["\(pairs).\(own) = \(parent)"]
    }
    if let filter = collection.filter {
      text += joins(in: collection.source, filter)
      let test = condition(filter)
      // Parts that don't depend on the element would be evaluated without any element.
      conditions.append(filter.mayFail ? "CASE WHEN \(conditions[0]) THEN \(test) ELSE 0 END" : test)
    }
    return text + " WHERE " + conditions.joined(separator: " AND ")
  }

  private func keyColumn(_ key: Int, of layout: _ModelLayout) -> String {
    guard case .foreignKey(let column, _)? = layout.relationship(key)?.storage else { return "NULL" }
    return dialect.identifier(layout.columns[column].name)
  }

  // MARK: To-one

  /// Returns the joins of the to-one relationships that begin at the rows of a scope and that a term reads.
  ///
  /// - Parameter present: Objects without which the term is not true, and the objects through which they are reached. SQLite
  ///   may begin with any of these.
  private func joins(in scope: Int, _ term: Term, present: Set<Int> = []) -> String {
    var (first, others) = ("", "")
    for number in sources(neededBy: term).inOrder() where number > 0 && !related[number - 1].isElement {
      guard self.scope(of: number) == scope else { continue }
      let object = related[number - 1]
      let (table, name) = (dialect.identifier(object.layout.tableName), alias(of: number))
      let id = dialect.identifier(StoreFormat.identifierColumn)
      let target: String
      switch object.relationship?.storage {
      case nil:
        target = "\(joinQualifier(object.parent)).\(id) AND \(name).\(StoreFormat.classCondition(object.layout.family))"
      case .foreignKey(let column, _):
        let layout = object.parent == 0 ? columns : related[object.parent - 1].layout.columns
        target = "\(joinQualifier(object.parent)).\(dialect.identifier(layout[column].name))"
      case .inverse(let key):
        // The first one, if another program has created two. The enclosing table may have the same name.
        let mirror = "\(name)_mirror"
        target =
          "(SELECT min(\(mirror).\(id)) FROM \(table) AS \(mirror) WHERE "
          + "\(mirror).\(keyColumn(key, of: object.layout)) = \(joinQualifier(object.parent)).\(id))"
      case .joinTable: continue
      }
      let join = "JOIN \(table) AS \(name) ON \(name).\(id) = \(target)"
      if present.contains(number) { first += " \(join)" } else { others += " LEFT \(join)" }
    }
    return first + others
  }

  private func joinQualifier(_ source: Int) -> String { source == 0 ? rootName ?? alias(of: 0) : alias(of: source) }

  /// Returns the rows to which an object is joined: those of the model's own table, or of a subquery.
  private func scope(of source: Int) -> Int {
    var number = source
    while number > 0, !related[number - 1].isElement { number = related[number - 1].parent }
    return number
  }

  /// Returns the objects whose rows are needed to evaluate a term.
  private func sources(neededBy term: Term) -> Set<Int> {
    var result: Set<Int> = []
    func add(_ source: Int) {
      var number = source
      // An object that is only a step on the path is joined, too.
      while number > 0, result.insert(number).inserted, !related[number - 1].isElement {
        number = related[number - 1].parent
      }
    }
    func visit(_ term: Term) {
      switch term.operation {
      case .column(let place): add(ColumnReference.source(place))
      case .json(let column, _): add(ColumnReference.source(column))
      case .exists(let collection), .count(let collection): add(related[collection.source - 1].parent)
      default: break
      }
      term.children.forEach(visit)
    }
    visit(term)
    return result
  }
}
