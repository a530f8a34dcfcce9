import LarderSQLite
import LarderSupport

/// Takes over what a store answered: brings the rows in memory up to date with it, as if another context had saved it.
///
/// What rows lead to is there with them, so the store is asked for whatever a snapshot refers to and nobody has.
struct SnapshotImport {
  private let backend: DataStoreBackend
  private let core: _ContextCore
  private let editingState: EditingState
  private var snapshots: [PersistentIdentifier: SnapshotValues] = [:]
  /// In the order in which they came.
  private var arrivalOrder: [PersistentIdentifier] = []
  /// What the store was asked for and does not have.
  private(set) var missingIdentifiers: Set<PersistentIdentifier> = []
  private var requestedIdentifiers: Set<PersistentIdentifier> = []
  private var completeModels: [_ModelLayout] = []
  /// Whether lists that a snapshot leaves out are made of all models that may be in them.
  var fetchesOmittedToManys = true

  /// - Parameter core: One of nobody's, for this alone.
  init(_ backing: DataStoreBackend, _ core: _ContextCore, _ editing: EditingState) {
    self.backend = backing
    self.core = core
    self.editingState = editing
  }

  /// - Throws: ``FetchError`` where one answer says two different things of one model: nobody knows which is right.
  static func checkConsistency(of answer: [SnapshotValues]) throws {
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

  mutating func addSnapshots(_ values: [SnapshotValues]) {
    for one in values {
      // It may be there again since it was missed.
      missingIdentifiers.remove(one.identifier)
      if snapshots.updateValue(one, forKey: one.identifier) == nil { arrivalOrder.append(one.identifier) }
    }
  }

  /// What was found is all that the store has of a model: rows that are not in it are gone.
  mutating func addCompleteModel(_ layout: _ModelLayout, _ found: [SnapshotValues]) throws {
    addSnapshots(found)
    completeModels.append(layout)
    let tracker = try core.tracker(for: layout)
    for identifier in try allIdentifiers(in: tracker) where snapshots[identifier] == nil {
      missingIdentifiers.insert(identifier)
    }
  }

  /// Asks the store for some models, as far as it was not asked for them before.
  mutating func requestSnapshots(for identifiers: some Sequence<PersistentIdentifier>) throws {
    let wanted = Set(identifiers).filter {
      snapshots[$0] == nil && !missingIdentifiers.contains($0) && !requestedIdentifiers.contains($0)
    }
    if wanted.isEmpty { return }
    requestedIdentifiers.formUnion(wanted)
    addSnapshots(try backend.cachedSnapshots(wanted.inOrder(), editingState).filter { wanted.contains($0.identifier) })
    let missing = Dictionary(grouping: wanted.filter { snapshots[$0] == nil }, by: \.entityName)
    for (name, group) in missing.inOrder({ $0.key < $1.key }) {
      guard let layout = core.container.layout(named: name) else { continue }
      let answer = try FetchDelegation(backend, editingState).fetchModels(group.inOrder(), layout.type)
      addSnapshots(answer.related)
      addSnapshots(answer.found)
    }
    for identifier in wanted where snapshots[identifier] == nil { missingIdentifiers.insert(identifier) }
  }

  /// Saves what was taken to the rows in memory.
  mutating func save() throws {
    try fetchReferences()
    if arrivalOrder.isEmpty && missingIdentifiers.isEmpty { return }
    backend.retainIdentities(of: arrivalOrder)
    var leaving: [Int64] = []
    for identifier in missingIdentifiers.inOrder() {
      guard let layout = core.container.layout(named: identifier.identity.root.entity) else { continue }
      let tracker = try core.tracker(for: layout)
      if let row = core.row(of: identifier, in: tracker), try tracker.exists(row) { leaving.append(row) }
    }
    try delete(missingIdentifiers)
    var application = SnapshotApplication(core, arrivalOrder.compactMap { snapshots[$0] })
    try application.apply()
    do { try core.save() } catch let error as SaveError where error.code == .uniquenessConflict {
      throw SnapshotImport.duplicateKeyError(error)
    }
    backend.releaseIdentities(of: leaving)
  }

  /// The store has two models of one key. It was a fetch that asked it, and nobody's save.
  private static func duplicateKeyError(_ error: SaveError) -> FetchError {
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
      let tracker = try core.tracker(for: layout)
      let rows = try tracker.existingRows(group.compactMap { core.row(of: $0, in: tracker) })
      try tracker.deleteRows(rows.inOrder())
    }
    try core.propagateDeletions()
  }

  // MARK: What is referred to

  private mutating func fetchReferences() throws {
    var place = 0
    while true {
      var wanted: Set<PersistentIdentifier> = []
      while place < arrivalOrder.count {
        if let snapshot = snapshots[arrivalOrder[place]] { try collectReferences(of: snapshot, &wanted) }
        place += 1
      }
      for identifier in missingIdentifiers { try wanted.formUnion(requiredReferrers(of: identifier)) }
      wanted = wanted.filter {
        snapshots[$0] == nil && !missingIdentifiers.contains($0) && !requestedIdentifiers.contains($0)
      }
      let before = (arrivalOrder.count, missingIdentifiers.count)
      try requestSnapshots(for: try removeCached(wanted))
      if (arrivalOrder.count, missingIdentifiers.count) == before { return }
    }
  }

  private mutating func collectReferences(of snapshot: SnapshotValues, _ wanted: inout Set<PersistentIdentifier>) throws
  {
    guard let layout = core.container.layout(named: snapshot.identifier.entityName) else { return }
    for relationship in layout.relationships {
      if let identifiers = snapshot.relationships[relationship.name] {
        wanted.formUnion(identifiers)
        if case .inverse(let key) = relationship.storage {
          try wanted.formUnion(members(of: snapshot, layout, relationship, key, differingFrom: identifiers))
        }
      } else if relationship.isToMany, fetchesOmittedToManys {
        // A store that has it at the other end alone.
        try requestAll(relationship.destinationLayout)
      }
    }
    if !layout.uniqueGroups.isEmpty { wanted.formUnion(try conflictingRows(of: snapshot, layout)) }
  }

  /// Rows that are in a list by their own to-one, or in the snapshot's list, and not in both. It is their to-one that counts:
  /// the list may have been written by somebody who did not know of it.
  private mutating func members(
    of snapshot: SnapshotValues, _ layout: _ModelLayout, _ relationship: RelationshipLayout, _ key: Int,
    differingFrom listed: [PersistentIdentifier]
  ) throws -> Set<PersistentIdentifier> {
    let there = try core.tracker(for: relationship.destinationLayout)
    guard case .foreignKey(let column, _)? = there.layout.relationship(key)?.storage,
      let row = core.row(of: snapshot.identifier, in: try core.tracker(for: layout))
    else { return [] }
    let differing = Set(listed).symmetricDifference(try there.identifiers(where: column, is: row))
    possiblyStale.formUnion(differing)
    return differing
  }

  private mutating func requestAll(_ layout: _ModelLayout) throws {
    guard !completeModels.contains(where: layout.inherits) else { return }
    let answer = try FetchDelegation(backend, editingState).fetchAll(layout.type)
    addSnapshots(answer.related)
    try addCompleteModel(layout, answer.found)
  }

  /// References that lead to rows that are there need no question; but those that hold a key, or refer to what is gone, are
  /// asked for because they are there.
  private mutating func removeCached(_ wanted: Set<PersistentIdentifier>) throws -> Set<PersistentIdentifier> {
    let doubtful = self.possiblyStale
    var result = wanted.intersection(doubtful)
    for (name, group) in Dictionary(grouping: wanted.subtracting(doubtful), by: \.identity.root.entity) {
      guard let layout = core.container.layout(named: name) else { continue }
      let tracker = try core.tracker(for: layout)
      let rows = try tracker.existingRows(group.compactMap { core.row(of: $0, in: tracker) })
      result.formUnion(group.filter { core.row(of: $0, in: tracker).map { !rows.contains($0) } ?? false })
    }
    self.possiblyStale = []
    return result
  }

  /// Rows that are there, and may be otherwise by now.
  private var possiblyStale: Set<PersistentIdentifier> = []

  /// Rows that have one of a snapshot's keys, and are others.
  private mutating func conflictingRows(of snapshot: SnapshotValues, _ layout: _ModelLayout) throws
    -> [PersistentIdentifier]
  {
    let tracker = try core.tracker(for: layout)
    let found = try tracker.identifiers(matchingKeysOf: snapshot).filter { $0 != snapshot.identifier }
    possiblyStale.formUnion(found)
    return found
  }

  /// Rows whose to-one leads to one that is gone, and that cannot do without.
  private mutating func requiredReferrers(of identifier: PersistentIdentifier) throws -> [PersistentIdentifier] {
    guard let layout = core.container.layout(named: identifier.identity.root.entity) else { return [] }
    let tracker = try core.tracker(for: layout)
    guard let row = core.row(of: identifier, in: tracker) else { return [] }
    var found: [PersistentIdentifier] = []
    for one in core.container.schema.entities.compactMap({ core.container.layout(named: $0.name) }) {
      for relationship in one.noninheritedRelations
      where !relationship.isOptional && layout.inherits(from: relationship.destinationLayout) {
        guard case .foreignKey(let column, _) = relationship.storage else { continue }
        found += try core.tracker(for: one).identifiers(where: column, is: row)
      }
    }
    possiblyStale.formUnion(found)
    return found
  }

  private func allIdentifiers(in tracker: _EntityTracker) throws -> [PersistentIdentifier] {
    try tracker.identifiers(tracker.statements.selectIdentifiers, [])
  }
}
