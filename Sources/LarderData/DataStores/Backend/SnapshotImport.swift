import LarderSQLite
import LarderSupport

/// An import of a data store's results. It updates the cached rows, as if another context had saved them.
///
/// A cached row needs the rows that it references, so the import fetches every model that a snapshot references and that is
/// neither cached nor in the results.
struct SnapshotImport {
  private let backend: DataStoreBackend
  private let core: _ContextCore
  private let editingState: EditingState
  private var snapshots: [PersistentIdentifier: SnapshotValues] = [:]
  /// The identifiers of the snapshots in the order of arrival.
  private var arrivalOrder: [PersistentIdentifier] = []
  /// The identifiers that were requested and that the data store does not have.
  private(set) var missingIdentifiers: Set<PersistentIdentifier> = []
  private var requestedIdentifiers: Set<PersistentIdentifier> = []
  private var completeModels: [_ModelLayout] = []
  /// Whether all possible members of a to-many relationship are fetched if a snapshot omits the relationship.
  var fetchesOmittedToManys = true

  /// - Parameter core: An internal context that only this import uses.
  init(_ backing: DataStoreBackend, _ core: _ContextCore, _ editing: EditingState) {
    self.backend = backing
    self.core = core
    self.editingState = editing
  }

  /// - Throws: ``FetchError`` if a result contains two different snapshots of one model, since either may be the right one.
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
      // The data store may have the model again after it was missing.
      missingIdentifiers.remove(one.identifier)
      if snapshots.updateValue(one, forKey: one.identifier) == nil { arrivalOrder.append(one.identifier) }
    }
  }

  /// Adds all snapshots of an entity. The data store has no model for a cached row that is not among them.
  mutating func addCompleteModel(_ layout: _ModelLayout, _ found: [SnapshotValues]) throws {
    addSnapshots(found)
    completeModels.append(layout)
    let tracker = try core.tracker(for: layout)
    for identifier in try allIdentifiers(in: tracker) where snapshots[identifier] == nil {
      missingIdentifiers.insert(identifier)
    }
  }

  /// Fetches the models with the specified identifiers, unless they were requested before.
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

  /// Saves the snapshots to the cached rows.
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

  /// Returns the error for two models of the data store that have the same unique key. It is a fetch error, because a fetch found
  /// the conflict, and not a save.
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

  // MARK: References

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
        // The data store may keep the relationship on its inverse side only.
        try requestAll(relationship.destinationLayout)
      }
    }
    if !layout.uniqueGroups.isEmpty { wanted.formUnion(try conflictingRows(of: snapshot, layout)) }
  }

  /// Returns the rows that are in a list by their own foreign key, or in the snapshot's list, but not in both. The foreign key
  /// decides: the list may have been written without knowledge of the row.
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

  /// Removes the identifiers of cached rows, which need no fetch. Possibly stale rows stay: rows that hold a conflicting key or
  /// that reference a deleted row are fetched because they are cached.
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

  /// The cached rows that may differ from the data store's.
  private var possiblyStale: Set<PersistentIdentifier> = []

  /// Returns the other rows that have one of the snapshot's unique keys.
  private mutating func conflictingRows(of snapshot: SnapshotValues, _ layout: _ModelLayout) throws
    -> [PersistentIdentifier]
  {
    let tracker = try core.tracker(for: layout)
    let found = try tracker.identifiers(matchingKeysOf: snapshot).filter { $0 != snapshot.identifier }
    possiblyStale.formUnion(found)
    return found
  }

  /// Returns the rows with a non-optional to-one relationship that references a deleted row.
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
