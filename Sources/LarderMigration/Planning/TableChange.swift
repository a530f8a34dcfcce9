import LarderData

/// What becomes of one table.
struct TableChange {
  enum Kind {
    /// It is new to the store.
    case created
    /// Its rows stay where they are, and some indexes go or come.
    case reindexed(original: TableDefinition)
    /// Nothing of it changes but what its relationships mean: who may have several, and of which class.
    case redescribed
    /// Its rows are made anew from former ones.
    case rebuilt
  }

  let definition: TableDefinition
  let kind: Kind

  /// nil where the table stays as it is.
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

  /// Whether relationships of a table that stays mean something else, whatever becomes of its indexes.
  func changesRelationships(of former: TableDefinition) -> Bool {
    switch kind {
    case .redescribed: true
    case .reindexed: former.hasDifferentRelationships(than: definition)
    default: false
    }
  }

  /// The tables beside the rows that serve as they are: their names.
  func retainedTables(_ matches: EntityMatches, in store: StoredSchema) -> Set<String> {
    let formerLinks = store.tables.flatMap { $0.joinTables ?? [] }
    var kept: Set<String> = []
    for relationship in definition.relationships ?? [] {
      guard let joinTable = relationship.joinTable, relationship.isSource == true, formerLinks.contains(joinTable)
      else { continue }
      let pairs = RelationshipMapping.all(of: relationship, matches, in: store, TemporaryTableNames()).compactMap(
        \.mapping.pairs)
      let ends = store.tables.flatMap(\.allRelations).filter { $0.joinTable == joinTable }
      // Those of rows that go to another class, which has the relationship no more, are not to stay behind.
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

  /// Whether all rows of a class of the store, and of those below it, are by now of a class or below that.
  private func allRowsRemain(_ former: String, in className: String, _ matches: EntityMatches, _ store: StoredSchema)
    -> Bool
  {
    let family = store.table(of: former)?.family(of: former) ?? [former]
    return Set(matches.family(of: className)).isSuperset(of: family)
  }
}

extension TableDefinition {
  /// Whether a column that looks the same is of a type in which not all of its values mean what they did.
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
      // A member of a struct that went, say, and a property that has its column's name by now.
      if column.property != now.property { return true }
      // Of a member of the program's own type the struct's says nothing.
      if ValueConversion.membersRequireDecoding(column, now) { return true }
      let forms = ValueConversion.forms(column, now)
      if ValueConversion.requiresDecoding(from: forms.old, to: forms.new) {
        return columnCount(of: column.property) == 1
      }
      return ValueConversion.changesMeaning(from: forms.old, to: forms.new)
    }
  }

  /// How many columns a property has: the members of a composite are told by their own.
  private func columnCount(of property: String) -> Int {
    columns.count { $0.property == property && !$0.name.hasPrefix(StoreFormat.prefix) }
  }
}

extension TableDefinition {
  /// Whether relationships were recorded that are others in another definition of the table.
  fileprivate func hasDifferentRelationships(than other: TableDefinition) -> Bool {
    relationships.map { Set($0) != Set(other.relationships ?? []) } ?? false
  }
}
