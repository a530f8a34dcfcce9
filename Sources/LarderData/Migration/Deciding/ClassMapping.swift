/// How the rows of one class are made from those that the store has.
struct ClassMapping {
  let layout: ModelLayout
  /// The name by now of the table that has them, and the condition that they are of this class.
  let table: String
  let condition: String?
  private(set) var source = RowExpressions()
  /// What fills the tables of values beside the rows: the table, and the value's expression.
  private(set) var externals: [(table: ExternalTable, expression: String)] = []
  private(set) var checks: [RowCheck] = []
  private(set) var problems: [String] = []

  private let match: ClassMatch
  private let leavesRest: Bool
  private let store: FormerStore
  private let names: FormerNames

  /// - Parameter kept: The tables beside the rows that stay as they are.
  init?(
    _ match: ClassMatch, hasClasses: Bool, _ matches: ClassMatches, in store: FormerStore, _ names: FormerNames,
    kept: Set<String>
  ) {
    guard let former = match.former, let table = store.table(of: former) else { return nil }
    self.match = match
    leavesRest = matches.leavesRest
    self.store = store
    self.names = names
    layout = match.layout
    self.table = StoreFormat.quoted(names[table.name])
    condition = table.isOfClass([former], as: "f")
    if hasClasses { source.set(StoreFormat.classColumn, to: StoreFormat.literal(layout.entityName)) }
    for property in layout.properties where !property.placement.isEphemeral {
      if let relation = property.relation {
        addKey(relation, property, RelationMapping(relation, of: layout, matches, in: store, names))
      } else if property.placement.external.map({ !kept.contains($0.name) }) ?? true {
        addAttribute(property)
      }
    }
  }

  /// The former rows of the class, as a query's source.
  func rows(_ extra: String?) -> String {
    let conditions = [condition, extra].compactMap { $0.map { "(\($0))" } }
    return "\(table) AS f" + (conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND "))
  }

  private mutating func addAttribute(_ property: PropertyLayout) {
    let columns = layout.columns[property.columns]
    let targets: [AttributeMapping.Target]
    let valueType = ValueTypes.name(of: property.valueType)
    if let external = property.placement.external {
      // A table beside the rows has no form; what a value was in its column decides.
      let form = match.properties[property.index]?.columns[""]?.form
      targets = [
        .init(
          suffix: "", form: .init(type: external.type, valueType: valueType, form: form),
          isOptional: external.isOptional)
      ]
    } else {
      let owner = layout.owner(of: property.index)
      let start = (owner.base == nil ? "" : "\(owner.entityName)_") + property.name
      targets = columns.map { column in
        .init(
          suffix: String(column.name.dropFirst(start.count)),
          form: .init(type: column.type, valueType: valueType, form: column.form.stored), isOptional: column.isOptional)
      }
    }
    let copy = self
    func make(_ former: FormerProperty?) -> (AttributeMapping, RowExpressions) {
      var values = source
      let mapping = AttributeMapping(
        property, of: layout, targets: targets, former: former, names, into: &values, rows: { copy.rows($0) })
      return (mapping, values)
    }
    var (mapping, values) = make(match.properties[property.index])
    if mapping.problem != nil, leavesRest { (mapping, values) = make(nil) }
    source = values
    checks += mapping.checks
    if let problem = mapping.problem { return problems.append(problem) }
    if let external = property.placement.external {
      externals.append((external, mapping.expressions.first ?? "NULL"))
    } else {
      for (column, expression) in zip(columns, mapping.expressions) { source.set(column.name, to: expression) }
    }
  }

  private mutating func addKey(_ relation: RelationLayout, _ property: PropertyLayout, _ mapping: RelationMapping) {
    checks += mapping.checks
    if let problem = mapping.problem { return problems.append(problem) }
    guard case .key(let column, let order) = relation.form else { return }
    let key = layout.columns[column]
    let id = "f.\(StoreFormat.identifierColumn)"
    if let own = mapping.pairs?.key, own.table == match.former.flatMap({ store.table(of: $0)?.name }) {
      source.set(key.name, to: "f.\(StoreFormat.quoted(own.column))")
      if let order { source.set(order, to: own.order.map { "f.\(StoreFormat.quoted($0))" } ?? "NULL") }
    } else if let pairs = mapping.pairs {
      source.set(key.name, to: "(SELECT other FROM (\(pairs.query)) WHERE owner = \(id))")
      if let order { source.set(order, to: "(SELECT other_order FROM (\(pairs.query)) WHERE owner = \(id))") }
    }
    guard !key.isOptional else { return }
    let name = "\(layout.entityName).\(property.name)"
    let missing = mapping.pairs.map { "NOT EXISTS (SELECT 1 FROM (\($0.query)) WHERE owner = \(id))" }
    checks.append(
      RowCheck(count: "SELECT count(*) FROM \(rows(missing))") {
        "\(name) is not optional, and there are rows without one (\($0))"
      })
  }
}
