import LarderData

/// The change of one table.
struct TableChange {
  enum Kind {
    /// The table is new in the store.
    case created
    /// The rows are kept in place, and some indexes are dropped or created.
    case reindexed(original: TableDefinition)
    /// Only the meaning of the relationships changes: their cardinality and destination class.
    case redescribed
    /// The rows are copied from former ones.
    case rebuilt
  }

  let definition: TableDefinition
  let kind: Kind

  /// Returns `nil` if the table does not change.
  init?(_ definition: TableDefinition, _ matches: EntityMatches, in store: StoredSchema, isRebuilt: Bool = false) {
    self.definition = definition
    let members = definition.classNames.compactMap { matches[$0] }
    if members.allSatisfy({ $0.originalName == nil }) {
      kind = .created
      return
    }
    guard let former = store.tables.first(where: { $0.name == definition.name }),
      members.allSatisfy({ $0.isUnchanged && store.table(of: $0.name)?.name == former.name })
    else {
      kind = .rebuilt
      return
    }
    if isRebuilt || former.changesMeaning(to: definition) {
      kind = .rebuilt
      return
    }
    if former.differences(from: definition).isEmpty {
      guard former.hasDifferentRelationships(than: definition) else { return nil }
      kind = .redescribed
      return
    }
    var reindexed = former
    reindexed.unique = definition.unique
    reindexed.indexes = definition.indexes
    kind = reindexed.differences(from: definition).isEmpty ? .reindexed(original: former) : .rebuilt
  }

  var isRebuilt: Bool { if case .rebuilt = kind { true } else { false } }

  /// Returns whether relationships of a table that is kept change their meaning, regardless of its indexes.
  func changesRelationships(of former: TableDefinition) -> Bool {
    switch kind {
    case .redescribed: true
    case .reindexed: former.hasDifferentRelationships(than: definition)
    default: false
    }
  }

  /// Returns the names of the companion tables that are kept in place.
  func retainedTables(_ matches: EntityMatches, in store: StoredSchema) -> Set<String> {
    let formerLinks = store.tables.flatMap { $0.joinTables ?? [] }
    var kept: Set<String> = []
    for relationship in definition.relationships ?? [] {
      guard let joinTable = relationship.joinTable, relationship.isSource == true, formerLinks.contains(joinTable)
      else { continue }
      let pairs = RelationshipMapping.all(of: relationship, matches, in: store, TemporaryTableNames()).compactMap(
        \.mapping.pairs)
      let ends = store.tables.flatMap(\.allRelations).filter { $0.joinTable == joinTable }
      // Pairs of rows that move to another class, which does not have the relationship, must not remain.
      guard
        ends.filter({ $0.isSource == true }).allSatisfy({
          allRowsRemain($0.ofClass, in: relationship.ofClass, matches, store)
        })
      else { continue }
      if !pairs.isEmpty, pairs.allSatisfy({ $0.relationshipID == joinTable.name && !$0.isFlipped }) {
        kept.insert(joinTable.name)
      }
    }
    for external in definition.externals ?? [] {
      guard let table = store.tables.first(where: { $0.externals?.contains(external) == true }) else { continue }
      let owner = external.owner(among: definition.classNames)
      guard
        allRowsRemain(
          external.owner(among: table.classNames) ?? table.name, in: owner ?? definition.name, matches, store)
      else { continue }
      let former = matches.classesWithRows(below: owner ?? definition.name).compactMap {
        matches[$0]?[external.property]
      }
      if !former.isEmpty, former.allSatisfy({ $0.external == external }) { kept.insert(external.name) }
    }
    return kept
  }

  /// Returns whether all rows of a class of the store and its subclasses now belong to a class or its subclasses.
  private func allRowsRemain(_ former: String, in className: String, _ matches: EntityMatches, _ store: StoredSchema)
    -> Bool
  {
    let family = store.table(of: former)?.family(of: former) ?? [former]
    return Set(matches.family(of: className)).isSuperset(of: family)
  }
}

extension TableDefinition {
  /// Returns whether a column that looks the same has a type for which some of its values change their meaning.
  fileprivate func changesMeaning(to other: TableDefinition) -> Bool {
    let isOtherApart = (externals ?? []).contains { external in
      guard let now = other.externals?.first(where: { $0.name == external.name }), now.type == external.type else {
        return false
      }
      return ValueConversion.changesMeaning(
        from: .init(type: external.type, valueType: external.valueType, form: external.form),
        to: .init(type: now.type, valueType: now.valueType, form: now.form))
    }
    return isOtherApart || changesMeaningOfColumns(to: other)
  }

  private func changesMeaningOfColumns(to other: TableDefinition) -> Bool {
    columns.contains { column in
      guard let now = other.columns.first(where: { $0.name == column.name }), now.type == column.type else {
        return false
      }
      // For example, a member of a removed struct, and a property that now has the name of its column.
      if column.property != now.property { return true }
      // For a member of the program's own type, the struct's type says nothing.
      if ValueConversion.membersRequireDecoding(column, now) { return true }
      let forms = ValueConversion.forms(column, now)
      if ValueConversion.requiresDecoding(from: forms.old, to: forms.new) {
        return columnCount(of: column.property) == 1
      }
      return ValueConversion.changesMeaning(from: forms.old, to: forms.new)
    }
  }

  /// Returns the number of columns of a property: members of a composite are compared by their own types.
  private func columnCount(of property: String) -> Int {
    columns.count { $0.property == property && !$0.name.hasPrefix(StoreFormat.prefix) }
  }
}

extension TableDefinition {
  /// Returns whether the recorded relationships differ from those of another definition of the table.
  fileprivate func hasDifferentRelationships(than other: TableDefinition) -> Bool {
    relationships.map { Set($0) != Set(other.relationships ?? []) } ?? false
  }
}
