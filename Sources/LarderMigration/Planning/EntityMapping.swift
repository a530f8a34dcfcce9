import LarderData

/// The mapping from the store's rows to the new rows of one class.
struct EntityMapping {
  /// The current name of the table with the former rows, and the condition that a row is of this class.
  let table: String
  let condition: String?
  private(set) var source = RowExpressions()
  /// The sources of the external tables: the table, and the value's expression.
  private(set) var externals: [(table: ExternalTable, expression: String)] = []
  private(set) var checks: [RowCheck] = []
  private(set) var problems: [String] = []

  /// The relationships that have pairs.
  private var relatedProperties: Set<String> = []
  private let match: EntityMatch
  private let migration: StoreMigration

  /// - Parameters:
  ///   - definition: The table of the class.
  ///   - facts: Returns the declaration of a property, for facts that the store does not record.
  init?(
    _ match: EntityMatch, in definition: TableDefinition, _ migration: StoreMigration,
    declaration facts: (String) -> PropertyDeclaration?
  ) {
    guard let former = match.originalName, let table = migration.store.table(of: former) else { return nil }
    self.match = match
    self.migration = migration
    self.table = StoreFormat.quoted(migration.names[table.name])
    condition = table.classCondition([former], as: "f")
    if definition.classes != nil { source.set(StoreFormat.classColumn, to: StoreFormat.literal(match.name)) }
    for property in match.properties {
      let now = property.current
      if let relationship = now.relationship {
        addForeignKey(
          relationship, now,
          RelationshipMapping(relationship, of: match.name, migration.matches, in: migration.store, migration.names))
      } else if now.external.map({ !migration.retainedTables.contains($0.name) }) ?? true {
        addAttribute(property, facts(now.name) ?? PropertyDeclaration(now))
      }
    }
  }

  /// The class's name in the models.
  var name: String { match.name }

  /// The class's name in the store.
  var originalName: String { match.originalName ?? match.name }

  /// Returns whether a relationship has pairs in the store, from this end or its inverse.
  func hasPairs(of property: String) -> Bool { relatedProperties.contains(property) }

  /// Returns the former rows of the class, as a query's source.
  func rows(_ extra: String?) -> String {
    let conditions = [condition, extra].compactMap { $0.map { "(\($0))" } }
    return "\(table) AS f" + (conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND "))
  }

  private mutating func addAttribute(_ property: EntityMatch.Property, _ facts: PropertyDeclaration) {
    let now = property.current
    let targets: [AttributeMapping.Target]
    if let external = now.external {
      targets = [
        .init(
          suffix: "", form: .init(type: external.type, valueType: external.valueType, form: external.form),
          isOptional: external.isOptional)
      ]
    } else {
      targets = now.members.map { suffix, column in
        .init(
          suffix: suffix, form: .init(type: column.type, valueType: column.valueType, form: column.form),
          isOptional: column.isOptional, column: column)
      }
    }
    let copy = self
    func make(_ former: StoredProperty?) -> (AttributeMapping, RowExpressions) {
      var values = source
      let mapping = AttributeMapping(
        "\(match.name).\(now.name)", facts, targets: targets, original: former, migration.names, into: &values,
        rows: { copy.rows($0) })
      return (mapping, values)
    }
    var (mapping, values) = make(property.original)
    if mapping.problem != nil, migration.matches.leavesRestToStage { (mapping, values) = make(nil) }
    source = values
    checks += mapping.checks
    if let problem = mapping.problem { return problems.append(problem) }
    if let external = now.external {
      externals.append((external, mapping.expressions.first ?? "NULL"))
    } else {
      for ((_, column), expression) in zip(now.members, mapping.expressions) {
        source.set(column.name, to: expression)
      }
    }
  }

  private mutating func addForeignKey(
    _ relationship: StoredRelationship, _ property: StoredProperty, _ mapping: RelationshipMapping
  ) {
    checks += mapping.checks
    if let problem = mapping.problem { return problems.append(problem) }
    if mapping.pairs != nil { relatedProperties.insert(property.name) }
    guard let key = property.keyColumn else { return }
    let order = relationship.order
    let id = "f.\(StoreFormat.identifierColumn)"
    let table = match.originalName.flatMap { migration.store.table(of: $0)?.name }
    if let own = mapping.pairs?.key, own.table == table {
      source.set(key.name, to: "f.\(StoreFormat.quoted(own.column))")
      if let order { source.set(order, to: own.order.map { "f.\(StoreFormat.quoted($0))" } ?? "NULL") }
    } else if let pairs = mapping.pairs {
      source.set(key.name, to: "(SELECT other FROM (\(pairs.query)) WHERE owner = \(id))")
      if let order { source.set(order, to: "(SELECT other_order FROM (\(pairs.query)) WHERE owner = \(id))") }
    }
    guard !key.isOptional else { return }
    let name = "\(match.name).\(property.name)"
    let missing = mapping.pairs.map { "NOT EXISTS (SELECT 1 FROM (\($0.query)) WHERE owner = \(id))" }
    checks.append(
      RowCheck(count: "SELECT count(*) FROM \(rows(missing))") {
        "\(name) is not optional, and there are rows without one (\($0))"
      })
  }
}
