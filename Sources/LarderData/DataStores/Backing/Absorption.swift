import LarderSQLite
import LarderSupport

/// Takes over what a store answered: brings the rows in memory up to date with it, as if another context had saved it.
///
/// What rows lead to is there with them, so the store is asked for whatever a snapshot refers to and nobody has.
struct Absorption {
  private let backing: StoreBacking
  private let core: ContextCore
  private let editing: EditingState
  private var snapshots: [PersistentIdentifier: SnapshotValues] = [:]
  /// In the order in which they came.
  private var order: [PersistentIdentifier] = []
  /// What the store was asked for and does not have.
  private(set) var gone: Set<PersistentIdentifier> = []
  private var wasAsked: Set<PersistentIdentifier> = []
  private var wholeModels: [ModelLayout] = []
  /// Whether lists that a snapshot leaves out are made of all models that may be in them.
  var asksForLists = true

  /// - Parameter core: One of nobody's, for this alone.
  init(_ backing: StoreBacking, _ core: ContextCore, _ editing: EditingState) {
    self.backing = backing
    self.core = core
    self.editing = editing
  }

  /// - Throws: ``FetchError`` where one answer says two different things of one model: nobody knows which is right.
  static func check(_ answer: [SnapshotValues]) throws {
    var known: [PersistentIdentifier: SnapshotValues] = [:]
    known.reserveCapacity(answer.count)
    for one in answer {
      guard let former = known.updateValue(one, forKey: one.identifier), !one.isSame(as: former) else { continue }
      throw FetchError(
        .unreadableValue, entityName: one.identifier.entityName, identifier: one.identifier,
        "The data store answered with two snapshots of \(one.identifier.debugDescription) that differ. Have it answer with one of "
          + "each model, or give the other one an identifier of its own.")
    }
  }

  mutating func take(_ values: [SnapshotValues]) {
    for one in values {
      // It may be there again since it was missed.
      gone.remove(one.identifier)
      if snapshots.updateValue(one, forKey: one.identifier) == nil { order.append(one.identifier) }
    }
  }

  /// What was found is all that the store has of a model: rows that are not in it are gone.
  mutating func takeWhole(_ layout: ModelLayout, _ found: [SnapshotValues]) throws {
    take(found)
    wholeModels.append(layout)
    let state = try core.state(for: layout)
    for identifier in try rows(of: state) where snapshots[identifier] == nil { gone.insert(identifier) }
  }

  /// Asks the store for some models, as far as it was not asked for them before.
  mutating func ask(for identifiers: some Sequence<PersistentIdentifier>) throws {
    let wanted = Set(identifiers).filter { snapshots[$0] == nil && !gone.contains($0) && !wasAsked.contains($0) }
    if wanted.isEmpty { return }
    wasAsked.formUnion(wanted)
    take(try backing.cached(wanted.inOrder(), editing).filter { wanted.contains($0.identifier) })
    let missing = Dictionary(grouping: wanted.filter { snapshots[$0] == nil }, by: \.entityName)
    for (name, group) in missing.inOrder({ $0.key < $1.key }) {
      guard let layout = core.container.layout(named: name) else { continue }
      let answer = try Asking(backing, editing).models(group.inOrder(), layout.type)
      take(answer.related)
      take(answer.found)
    }
    for identifier in wanted where snapshots[identifier] == nil { gone.insert(identifier) }
  }

  /// Saves what was taken to the rows in memory.
  mutating func finish() throws {
    try complete()
    if order.isEmpty && gone.isEmpty { return }
    backing.keep(order)
    var leaving: [Int64] = []
    for identifier in gone.inOrder() {
      guard let layout = core.container.layout(named: identifier.identity.root.entity) else { continue }
      let state = try core.state(for: layout)
      if let row = core.row(of: identifier, in: state), try state.exists(row) { leaving.append(row) }
    }
    try delete(gone)
    var application = SnapshotApplication(core, order.compactMap { snapshots[$0] })
    try application.run()
    do { try core.save() } catch let error as SaveError where error.code == .uniquenessConflict {
      throw Absorption.sameKey(error)
    }
    backing.forget(leaving)
  }

  /// The store has two models of one key. It was a fetch that asked it, and nobody's save.
  private static func sameKey(_ error: SaveError) -> FetchError {
    let all = error.identifiers.map(\.debugDescription).inOrder().joined(separator: " and ")
    let keys = Set(error.properties).inOrder().joined(separator: " and by ")
    return FetchError(
      .unreadableValue, entityName: error.entityName, identifier: error.identifiers.first,
      "The data store has models of \(error.entityName) that agree in what is to be unique (by \(keys)): \(all). Correct what the "
        + "store has, or have it answer with one of them, or let the model be without that constraint.")
  }

  private func delete(_ identifiers: Set<PersistentIdentifier>) throws {
    for (name, group) in Dictionary(grouping: identifiers, by: \.identity.root.entity) {
      guard let layout = core.container.layout(named: name) else { continue }
      let state = try core.state(for: layout)
      let rows = try state.existing(group.compactMap { core.row(of: $0, in: state) })
      try state.deleteRows(rows.inOrder())
    }
    try core.spreadDeletions()
  }

  // MARK: What is referred to

  private mutating func complete() throws {
    var place = 0
    while true {
      var wanted: Set<PersistentIdentifier> = []
      while place < order.count {
        if let snapshot = snapshots[order[place]] { try look(at: snapshot, &wanted) }
        place += 1
      }
      for identifier in gone { try wanted.formUnion(referring(to: identifier)) }
      wanted = wanted.filter { snapshots[$0] == nil && !gone.contains($0) && !wasAsked.contains($0) }
      let before = (order.count, gone.count)
      try ask(for: try withoutKnown(wanted))
      if (order.count, gone.count) == before { return }
    }
  }

  private mutating func look(at snapshot: SnapshotValues, _ wanted: inout Set<PersistentIdentifier>) throws {
    guard let layout = core.container.layout(named: snapshot.identifier.entityName) else { return }
    for relation in layout.relations {
      if let identifiers = snapshot.relations[relation.name] {
        wanted.formUnion(identifiers)
        if case .mirror(let key) = relation.form {
          try wanted.formUnion(members(of: snapshot, layout, relation, key, differingFrom: identifiers))
        }
      } else if relation.isToMany, asksForLists {
        // A store that has it at the other end alone.
        try askForAll(relation.destinationLayout)
      }
    }
    if !layout.uniqueGroups.isEmpty { wanted.formUnion(try rivals(of: snapshot, layout)) }
  }

  /// Rows that are in a list by their own to-one, or in the snapshot's list, and not in both. It is their to-one that counts:
  /// the list may have been written by somebody who did not know of it.
  private mutating func members(
    of snapshot: SnapshotValues, _ layout: ModelLayout, _ relation: RelationLayout, _ key: Int,
    differingFrom listed: [PersistentIdentifier]
  ) throws -> Set<PersistentIdentifier> {
    let there = try core.state(for: relation.destinationLayout)
    guard case .key(let column, _)? = there.layout.relation(key)?.form,
      let row = core.row(of: snapshot.identifier, in: try core.state(for: layout))
    else { return [] }
    let differing = Set(listed).symmetricDifference(try there.rows(where: column, is: row))
    doubtful.formUnion(differing)
    return differing
  }

  private mutating func askForAll(_ layout: ModelLayout) throws {
    guard !wholeModels.contains(where: layout.inherits) else { return }
    let answer = try Asking(backing, editing).all(layout.type)
    take(answer.related)
    try takeWhole(layout, answer.found)
  }

  /// References that lead to rows that are there need no question; but those that hold a key, or refer to what is gone, are
  /// asked for because they are there.
  private mutating func withoutKnown(_ wanted: Set<PersistentIdentifier>) throws -> Set<PersistentIdentifier> {
    let doubtful = self.doubtful
    var result = wanted.intersection(doubtful)
    for (name, group) in Dictionary(grouping: wanted.subtracting(doubtful), by: \.identity.root.entity) {
      guard let layout = core.container.layout(named: name) else { continue }
      let state = try core.state(for: layout)
      let rows = try state.existing(group.compactMap { core.row(of: $0, in: state) })
      result.formUnion(group.filter { core.row(of: $0, in: state).map { !rows.contains($0) } ?? false })
    }
    self.doubtful = []
    return result
  }

  /// Rows that are there, and may be otherwise by now.
  private var doubtful: Set<PersistentIdentifier> = []

  /// Rows that have one of a snapshot's keys, and are others.
  private mutating func rivals(of snapshot: SnapshotValues, _ layout: ModelLayout) throws -> [PersistentIdentifier] {
    let state = try core.state(for: layout)
    let found = try state.rows(withKeysOf: snapshot).filter { $0 != snapshot.identifier }
    doubtful.formUnion(found)
    return found
  }

  /// Rows whose to-one leads to one that is gone, and that cannot do without.
  private mutating func referring(to identifier: PersistentIdentifier) throws -> [PersistentIdentifier] {
    guard let layout = core.container.layout(named: identifier.identity.root.entity) else { return [] }
    let state = try core.state(for: layout)
    guard let row = core.row(of: identifier, in: state) else { return [] }
    var found: [PersistentIdentifier] = []
    for one in core.container.schema.entities.compactMap({ core.container.layout(named: $0.name) }) {
      for relation in one.ownRelations where !relation.isOptional && layout.inherits(from: relation.destinationLayout) {
        guard case .key(let column, _) = relation.form else { continue }
        found += try core.state(for: one).rows(where: column, is: row)
      }
    }
    doubtful.formUnion(found)
    return found
  }

  private func rows(of state: EntityState) throws -> [PersistentIdentifier] {
    try state.identifiers(state.statements.selectIdentifiers, [])
  }
}
