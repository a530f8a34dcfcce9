import LarderData
import LarderSupport

/// The plan for migrating a store to the schema of some models, computed before anything is written.
struct StoreMigration {
  let store: StoredSchema
  /// The tables of the models.
  let definitions: [TableDefinition]
  let changes: [TableChange]
  let matches: EntityMatches
  /// Former tables whose rows are copied or deleted.
  let replacedTables: [TableDefinition]
  /// Companion tables that are kept in place.
  let retainedTables: Set<String>
  private(set) var names: TemporaryTableNames
  /// The reasons why the migration is impossible, as sentences.
  private(set) var problems: [String] = []

  /// - Parameters:
  ///   - renamed: The classes' names in an earlier version, by their current names.
  ///   - removed: The classes of the store that the former models had and that these models omit on purpose.
  ///   - movesAll: Whether nothing may be kept in place, because the stage's closure must see all former data.
  ///   - leavesRest: Whether a stage's own closure follows, which handles data that cannot be migrated.
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

  /// The same plan for tables that are not renamed.
  var inPlace: StoreMigration {
    var copy = self
    copy.names = TemporaryTableNames()
    return copy
  }

  /// Whether there is nothing to do, not even in the store's record of its schema.
  var isEmpty: Bool { changes.isEmpty && replacedTables.isEmpty && tables == store.tables }

  /// Returns the problems of classes in a rebuilt table that no model continues.
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

  /// The tables of the store after the migration.
  var tables: [TableDefinition] {
    // Unchanged tables may have other relationships that are stored elsewhere, or other Swift types.
    let gone = Set(replacedTables.map(\.name)).union(definitions.map(\.name))
    return (store.tables.filter { !gone.contains($0.name) } + definitions).inOrder { $0.name < $1.name }
  }

  /// The classes and properties of the store that no model continues.
  var unknownToModels: [String] {
    var seen: Set<String> = []
    return store.classNames.flatMap { name -> [String] in
      guard let match = matches.all.first(where: { $0.originalName == name }) else { return [name] }
      let taken = Set(match.properties.compactMap { $0.original?.name })
      let left = store.table(of: name)?.propertyNames(of: name).filter { !taken.contains($0) } ?? []
      return left.map { "\(store.property($0, of: name)?.declaringClass ?? name).\($0)" }
    }.filter { seen.insert($0).inserted }
  }

  /// Whether the migration changes no existing table.
  var onlyCreatesTables: Bool {
    replacedTables.isEmpty && problems.isEmpty
      && changes.allSatisfy { if case .created = $0.kind { true } else { false } }
  }

  /// Whether all existing data keeps its meaning, apart from additions: the store's history remains valid then.
  var isPurelyAdditive: Bool {
    let related = store.tables.filter { table in
      changes.contains { $0.definition.name == table.name && $0.changesRelationships(of: table) }
    }
    return (replacedTables + related).allSatisfy { former in definitions.contains { former.isContained(in: $0) } }
  }

  /// Whether the record of an existing table changes, although the table may be the same.
  var changesRecordedSchema: Bool {
    let known = Set(store.tables)
    let made = Set(changes.map(\.definition.name))
    return tables.contains { !made.contains($0.name) && !known.contains($0) }
  }
}

extension StoreMigration {
  /// Plans a migration to the models of a program.
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
  /// Returns the former names of the classes that declare one, by their current names.
  static func originalNames(_ hierarchies: [ModelHierarchy]) -> [String: String] {
    hierarchies.flatMap(\.members).reduce(into: [:]) { names, layout in
      names[layout.entityName] = layout.originalEntityName
    }
  }
}

extension _ModelLayout {
  /// The class's name in an earlier version, if it declares one.
  var originalEntityName: String? { (type as? any RenamedModel.Type)?.originalEntityName }
}

extension TableDefinition {
  /// Returns whether another table has all parts of this one.
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
