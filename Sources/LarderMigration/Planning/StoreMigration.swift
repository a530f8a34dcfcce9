import LarderData
import LarderSupport

/// What brings a store from the shape that it has to that of some models, worked out before anything is written.
struct StoreMigration {
  let store: StoredSchema
  /// The tables of the models.
  let definitions: [TableDefinition]
  let changes: [TableChange]
  let matches: EntityMatches
  /// Former tables whose rows are made anew, or go.
  let replacedTables: [TableDefinition]
  /// Tables beside the rows that stay.
  let retainedTables: Set<String>
  private(set) var names: TemporaryTableNames
  /// Why it cannot be done, in sentences.
  private(set) var problems: [String] = []

  /// - Parameters:
  ///   - renamed: The names that classes had in an earlier version, by those that they have.
  ///   - removed: The classes of the store that the former models had and these lack on purpose.
  ///   - movesAll: Whether nothing may stay in its place, because all is to be seen as it was.
  ///   - leavesRest: Whether a program's own work follows, to which is left what cannot be taken over.
  init(
    _ tables: [TableDefinition], to definitions: [TableDefinition], renamed: [String: String],
    removing removed: Set<String> = [], leavingRest leavesRest: Bool = false, replacingAll movesAll: Bool = false
  ) {
    let store = StoredSchema(tables)
    let matches = EntityMatches(
      StoredSchema(definitions), renamed: renamed, in: store, removing: removed, leavingRest: leavesRest)
    let definitions = definitions.map { $0.carryingOverOriginalNames(of: store, matches) }
    let changes = definitions.compactMap { TableChange($0, matches, in: store, isRebuilt: movesAll) }
    let rebuilt = changes.filter(\.isRebuilt)
    let taken = Set(rebuilt.flatMap { $0.definition.classNames.compactMap { matches[$0]?.originalName } }).union(
      removed)
    let moved = tables.filter { $0.classNames.contains(where: taken.contains) }
    let kept =
      movesAll ? [] : rebuilt.reduce(into: Set<String>()) { $0.formUnion($1.retainedTables(matches, in: store)) }
    var names = TemporaryTableNames()
    for table in moved {
      names.rename(table.name)
      for beside in table.companionTables where !kept.contains(beside) { names.rename(beside) }
    }
    self.store = store
    self.definitions = definitions
    self.matches = matches
    self.changes = changes
    self.replacedTables = moved
    self.retainedTables = kept
    self.names = names
    problems =
      matches.all.flatMap { $0.problems + $0.ambiguityProblems } + unmappedSubclassProblems(taken)
      + duplicateOriginProblems()
    problems += StoreNamespace(self.tables).collisions
  }

  /// The same for tables that have their names still.
  var inPlace: StoreMigration {
    var copy = self
    copy.names = TemporaryTableNames()
    return copy
  }

  /// Whether nothing is to be done, not even to what the store knows of itself.
  var isEmpty: Bool { changes.isEmpty && replacedTables.isEmpty && tables == store.tables }

  /// Classes of a table that is to be rebuilt, whose rows nobody takes.
  private func unmappedSubclassProblems(_ taken: Set<String>) -> [String] {
    replacedTables.flatMap { table in
      table.classNames.filter { !taken.contains($0) }.map { name in
        "the store has the class \(name), which inherits from \(table.name); name that model too"
      }
    }
  }

  private func duplicateOriginProblems() -> [String] {
    let claims = Dictionary(grouping: matches.all.filter { $0.originalName != nil }) { $0.originalName ?? "" }
    return claims.filter { $0.value.count > 1 }.keys.inOrder().map { name in
      let both = (claims[name] ?? []).map(\.name).inOrder().joined(separator: " and ")
      return "\(both) both come from \(name). Give only one of them the original name"
    }
  }

  /// The tables of the store afterwards.
  var tables: [TableDefinition] {
    // Those that stay as they are may have other relationships that lie elsewhere, or other types in Swift.
    let gone = Set(replacedTables.map(\.name)).union(definitions.map(\.name))
    return (store.tables.filter { !gone.contains($0.name) } + definitions).inOrder { $0.name < $1.name }
  }

  /// What the store has and the models have not: classes that come to none of theirs, and properties that come to none.
  var unknownToModels: [String] {
    var seen: Set<String> = []
    return store.classNames.flatMap { name -> [String] in
      guard let match = matches.all.first(where: { $0.originalName == name }) else { return [name] }
      let taken = Set(match.properties.compactMap { $0.original?.name })
      let left = store.table(of: name)?.propertyNames(of: name).filter { !taken.contains($0) } ?? []
      return left.map { "\(store.property($0, of: name)?.declaringClass ?? name).\($0)" }
    }.filter { seen.insert($0).inserted }
  }

  /// Whether nothing of what is there changes.
  var onlyCreatesTables: Bool {
    replacedTables.isEmpty && problems.isEmpty
      && changes.allSatisfy { if case .created = $0.kind { true } else { false } }
  }

  /// Whether all that is there stays what it is, whatever comes beside it: the store's history holds then, too.
  var isPurelyAdditive: Bool {
    let related = store.tables.filter { table in
      changes.contains { $0.definition.name == table.name && $0.changesRelationships(of: table) }
    }
    return (replacedTables + related).allSatisfy { former in definitions.contains { former.isContained(in: $0) } }
  }

  /// Whether a table that is there is described otherwise than before, though it may be the same.
  var changesRecordedSchema: Bool {
    let known = Set(store.tables)
    let made = Set(changes.map(\.definition.name))
    return tables.contains { !made.contains($0.name) && !known.contains($0) }
  }
}

extension StoreMigration {
  /// To the models of a program.
  init(
    _ tables: [TableDefinition], to hierarchies: [ModelHierarchy], removing removed: Set<String> = [],
    leavingRest leavesRest: Bool = false, replacingAll movesAll: Bool = false
  ) {
    self.init(
      tables, to: hierarchies.map { TableDefinition($0) }, renamed: ModelHierarchy.originalNames(hierarchies),
      removing: removed, leavingRest: leavesRest, replacingAll: movesAll)
  }
}

extension ModelHierarchy {
  /// What classes were called in an earlier version, where they say so, by their names.
  static func originalNames(_ hierarchies: [ModelHierarchy]) -> [String: String] {
    hierarchies.flatMap(\.members).reduce(into: [:]) { names, layout in
      names[layout.entityName] = layout.originalEntityName
    }
  }
}

extension _ModelLayout {
  /// What the class was called in an earlier version, where it says so.
  var originalEntityName: String? { (type as? any RenamedModel.Type)?.originalEntityName }
}

extension TableDefinition {
  /// Whether another table has all that this one has.
  fileprivate func isContained(in other: TableDefinition) -> Bool {
    func bare(_ column: Column) -> Column {
      var column = column
      column.originalName = nil
      return column
    }
    func has<Part: Hashable>(_ parts: [Part]?, in others: [Part]?) -> Bool {
      Set(others ?? []).isSuperset(of: parts ?? [])
    }
    return name == other.name
      && has(columns.map(bare), in: other.columns.map(bare)) && has(joinTables, in: other.joinTables)
      && has(externals, in: other.externals) && has(classes, in: other.classes)
      && has(relationships, in: other.relationships)
  }
}
