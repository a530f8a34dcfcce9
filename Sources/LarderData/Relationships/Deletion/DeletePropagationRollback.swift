import LarderSQLite
import LarderSupport

// The reversal of a deletion that is not saved: its consequences are reverted, too. In a relationship with an order, the
// object becomes the last one. Changes that the program made explicitly, before or since, stay.

extension _ContextCore {
  /// Reverts a pending deletion.
  func cancelDeletion(of model: any PersistentModel) {
    // A call by a type's own coding during an operation is deferred until the operation has ended.
    if isDeferringNotifications { return relationships.deferredRequests.append(.restore(model)) }
    // Most objects are not deleted, and there is no pending propagation that may delete them.
    if !relationMarks.hasPendingPropagation, !model._$header.pointee.status.contains(.deleted) { return }
    rollBackPropagation {
      // Propagation determines the consequences of this deletion and of others; this one may be a consequence of another.
      try propagateDeletions()
      guard let tracker = model._$header.pointee.tracker else { return reinsert(model) }
      guard model._$header.pointee.status.contains(.deleted) else { return }
      var recall = DeletePropagationRollback(self)
      try recall.restore(model, tracker.concreteTracker(model))
    }
    pendingObjectsDidChange()
    if !hasChanges { didClearChanges() }
  }

  /// Inserts an object that is in no context. If it was in this one, and was deleted before its first save, the consequences
  /// of that deletion are reverted.
  func reinsert(_ model: any PersistentModel) {
    guard let place = relationships.propagationLog.previousRowKey(of: model) else {
      _ = insertIfNeeded(model, reinsertsDeleted: true)
      return
    }
    rollBackPropagation {
      try propagateDeletions()
      var recall = DeletePropagationRollback(self)
      try recall.restore(model, discardedFrom: place)
    }
    pendingObjectsDidChange()
  }

  private func rollBackPropagation(_ body: () throws -> Void) {
    deferringNotifications {
      do {
        try duringRestoration(body)
      } catch {
        if pendingError == nil { pendingError = error }
      }
    }
  }

  /// Runs a body as part of a reversal, so that its changes do not count as explicit changes by the program.
  func duringRestoration(_ body: () throws -> Void) rethrows {
    try withOperation(.restoring) { try body() }
  }
}

/// The reversal of the consequences of deletions, along with these.
struct DeletePropagationRollback {
  private typealias Reference = PropagationLog.Reference
  private typealias Restored = (model: any PersistentModel, tracker: _EntityTracker)

  private let core: _ContextCore
  private var restored: [Restored] = []
  private var references: [Reference] = []
  private var memberInsertions = MemberInsertions()

  init(_ core: _ContextCore) { self.core = core }

  mutating func restore(_ model: any PersistentModel, _ tracker: _EntityTracker) throws {
    try restoreAll([(model, tracker)])
    try restoreAllReferences()
  }

  /// Inserts an object that was never saved, and so has no row to return to.
  mutating func restore(_ model: any PersistentModel, discardedFrom place: RowKey) throws {
    try restoreAll([], collectReferences(core.relationships.propagationLog.removeEffects(of: place)))
    let tracker = try core.tracker(for: type(of: model)._$layout)
    for relationship in tracker.layout.relationships { removeDeletedTargets(relationship, of: model) }
    guard core.insertIfNeeded(model, reinsertsDeleted: true) else { return }
    let row = model._$header.pointee.rowID
    for index in references.indices {
      if RowKey(references[index].source.tracker, references[index].source.row) == place {
        references[index].source = (tracker, row)
      }
      if RowKey(references[index].target.tracker, references[index].target.row) == place {
        references[index].target = (tracker, row)
      }
    }
    try restoreAllReferences()
  }

  /// The objects that were restored.
  var restoredModels: [any PersistentModel] { restored.map(\.model) }

  /// Restores objects that were deleted along with others whose deletions are reverted already, without the other ends of
  /// their relationships.
  mutating func restoreCascaded(_ consequences: [PropagationLog.Effect]) throws {
    if !consequences.isEmpty { try restoreAll([], collectReferences(consequences)) }
  }

  /// Restores the references that these deletions, and their consequences, have removed.
  mutating func restoreReferences() throws {
    if restored.isEmpty, references.isEmpty { return }
    references = references.filter(matchesStore)
    try core.duringRestoration { try restoreAllReferences() }
  }

  /// Returns whether the store still has a reference that a deletion removed, as far as that is known. A to-one that is not
  /// edited shows the stored value; an edited one has the stored value as its original value.
  private func matchesStore(_ reference: Reference) -> Bool {
    let relationship = reference.relationship
    guard case .foreignKey = relationship.storage, let object = reference.source.tracker.find(reference.source.row)
    else { return true }
    let model = reference.source.tracker.erased(object)
    let tracker = reference.source.tracker.concreteTracker(model)
    if reference.wasStored, tracker.hasStoredForeignKey(model, relationship) {
      return _ToOneKey.targetRow(of: model._$foreignKey(relationship.property)) == reference.target.row
    }
    guard !_ModelLayout.sharesBit(relationship.property), model._$header.pointee.status.contains(.changed),
      let entry = tracker.originalValues.entry(of: model._$header.pointee.changedIndex, relationship.bit)
    else { return true }
    return tracker.originalValues.values(of: entry).elementsEqual([.integer(reference.target.row)])
  }

  private mutating func restoreAllReferences() throws {
    // Other contexts may have removed references since that the store had then.
    for reference in references where !reference.wasStored || matchesStore(reference) { restoreReference(reference) }
    var unloaded: [UnloadedJoinList] = []
    var hidden = RestoredToManyMerge(core)
    try hidden.read(restored)
    for (model, tracker) in restored {
      for relationship in tracker.layout.relationships {
        try restoreRelationship(relationship, of: model, tracker, &unloaded, &hidden)
      }
    }
    for list in unloaded { try restoreUnloaded(list) }
    try memberInsertions.apply(to: core)
  }

  // MARK: Restored objects

  private typealias Rows = [ObjectIdentifier: (tracker: _EntityTracker, rows: [Int64])]

  /// Restores objects, the objects that were deleted along with them, and so on through all levels.
  private mutating func restoreAll(_ first: [Restored], _ rows: Rows = [:]) throws {
    var wave = try first + loadInstances(rows)
    while !wave.isEmpty {
      var next: Rows = [:]
      for (model, tracker) in wave where isDeleted(model) {
        let row = model._$header.pointee.rowID
        model._$header.pointee.status.remove(.deleted)
        tracker.deletedRows.remove(row)
        core.markRowChanged(row, tracker)
        tracker.invalidatePendingIndexes()
        restored.append((model, tracker))
        next.merge(collectReferences(core.relationships.propagationLog.removeEffects(of: RowKey(tracker, row)))) {
          ($0.tracker, $0.rows + $1.rows)
        }
      }
      wave = try loadInstances(next)
    }
    if restored.count == 1, let (model, tracker) = restored.first { return tracker.deleted.removeInstance(model) }
    var trackers: [ObjectIdentifier: _EntityTracker] = [:]
    for (_, tracker) in restored { trackers[ObjectIdentifier(tracker)] = tracker }
    for tracker in trackers.values { tracker.removeRestoredInstances() }
  }

  /// Collects the references to restore.
  ///
  /// - Returns: The rows to restore.
  private mutating func collectReferences(_ consequences: [PropagationLog.Effect]) -> Rows {
    var rows: Rows = [:]
    for consequence in consequences {
      switch consequence {
      case .nullified(let reference): references.append(reference)
      case .cascaded(let there, let row): rows[ObjectIdentifier(there), default: (there, [])].rows.append(row)
      }
    }
    return rows
  }

  private func loadInstances(_ rows: Rows) throws -> [Restored] {
    try rows.values.flatMap { there, rows in
      let rows = rows.filter { there.isDeleted($0) }
      let loaded = try there.loadRows(rows.filter { there.find($0) == nil })
      defer { withExtendedLifetime(loaded) {} }
      return rows.compactMap { there.find($0).map(there.erased) }.map { ($0, there.concreteTracker($0)) }
    }
  }

  /// Removes deleted objects from a relationship of an object outside of a context: they would prevent its insertion.
  private func removeDeletedTargets(_ relationship: RelationshipLayout, of model: any PersistentModel) {
    switch model._$relationshipValue(relationship.property) {
    case .many(let members?):
      let leaving = members.filter(isDeleted)
      if !leaving.isEmpty { core.removeFromStorage(leaving, of: model, relationship) }
    case .one(_, let object?) where relationship.isOptional && isDeleted(object):
      model._$applyChange(relationship.property, .object(nil))
    default: break
    }
  }

  // MARK: Relationships of restored objects

  /// A to-many over a join table that is not loaded.
  private typealias UnloadedJoinList = (
    table: JoinTable, isSource: Bool, relationship: RelationshipLayout, owners: [Restored]
  )

  /// Updates the other ends of a relationship of a restored object. The object keeps its relationships as they were when it
  /// was deleted; the other ends follow, unless they were given another object since.
  private mutating func restoreRelationship(
    _ relationship: RelationshipLayout, of model: any PersistentModel, _ tracker: _EntityTracker,
    _ unloaded: inout [UnloadedJoinList],
    _ hidden: inout RestoredToManyMerge
  ) throws {
    let there = try core.tracker(for: relationship.destinationLayout)
    switch relationship.storage {
    case .foreignKey: restoreForeignKey(relationship, of: model, tracker, there)
    case .inverse(let key): removeReassignedMembers(relationship, key, of: model, tracker, there)
    case .joinTable(let table, let isSource):
      core.unloadIfStale(model, relationship)
      try hidden.merge(relationship, of: model, tracker, there)
      if case .many(let members?) = model._$relationshipValue(relationship.property) {
        return restoreMembers(members, relationship, of: model, tracker, there)
      }
      let edit = tracker.concreteTracker(model).joinEdits[RelationshipKey(model, relationship.property)]
      restoreMembers(edit?.added ?? [], relationship, of: model, tracker, there)
      if relationship.inverse == nil { return }
      if let known = unloaded.firstIndex(where: { $0.relationship === relationship }) {
        unloaded[known].owners.append((model, tracker))
      } else {
        unloaded.append((table, isSource, relationship, [(model, tracker)]))
      }
    }
  }

  private mutating func restoreForeignKey(
    _ relationship: RelationshipLayout, of model: any PersistentModel, _ tracker: _EntityTracker,
    _ there: _EntityTracker
  ) {
    var key = model._$foreignKey(relationship.property)
    guard key > 0 else { return }
    // A relationship whose rule forbids the deletion continues to do so.
    let isDenied = relationship.inverse?.deleteRule == .deny
    if let departed = core.relationships.propagationLog.discardedInsert(from: RowKey(there, key)) {
      // The discarded insert may be back, as another row.
      if isInContext(departed), !isDeleted(departed) {
        key = departed._$header.pointee.rowID
        core.setForeignKey(model, tracker, relationship, key)
      } else {
        // A required to-one reads as this object.
        if !relationship.isOptional || isDenied {
          core.relationships.requiredDeletedObjects[RowKey(there, key)] = departed
        }
        return isDenied ? () : core.setForeignKey(model, tracker, relationship, 0)
      }
    }
    let reference = Reference(
      source: (tracker, model._$header.pointee.rowID), relationship: relationship, target: (there, key))
    if there.isDeleted(key) {
      if !isDenied { core.setForeignKey(model, tracker, relationship, 0) }
      return core.relationships.propagationLog.postpone(reference, until: RowKey(there, key))
    }
    if !restoreReference(reference) { core.setForeignKey(model, tracker, relationship, 0) }
  }

  /// Relates a restored object to the members of a list, or to those that were added to it since its last save.
  private mutating func restoreMembers(
    _ members: [any PersistentModel], _ relationship: RelationshipLayout, of model: any PersistentModel,
    _ tracker: _EntityTracker, _ there: _EntityTracker
  ) {
    for member in members {
      if isInContext(member), !isDeleted(member) {
        if let inverse = relationship.inverse { memberInsertions.append(model, to: member, there, inverse) }
        continue
      }
      core.removeMembers(model, tracker, relationship, member)
      // A member that was never saved left with its own deletion.
      if isInContext(member) { postponeReference(member._$header.pointee.rowID, there, relationship, model, tracker) }
    }
  }

  /// Relates restored objects to the stored members of their lists that are not loaded.
  private mutating func restoreUnloaded(_ list: UnloadedJoinList) throws {
    let there = try core.tracker(for: list.relationship.destinationLayout)
    guard let inverse = list.relationship.inverse else { return }
    let owners = Dictionary(
      list.owners.map { ($0.model._$header.pointee.rowID, $0) }, uniquingKeysWith: { first, _ in first })
    for pair in try there.session.joinedRows(of: Array(owners.keys), list.table, isSource: list.isSource) {
      guard let (model, tracker) = owners[pair.row] else { continue }
      let edit = tracker.concreteTracker(model).joinEdits[RelationshipKey(model, list.relationship.property)]
      if edit?.removed.contains(pair.other) == true { continue }
      if there.isDeleted(pair.other) {
        postponeReference(pair.other, there, list.relationship, model, tracker)
      } else if let other = there.find(pair.other).map(there.erased) {
        memberInsertions.append(model, to: other, there, inverse)
      }
    }
  }

  /// Postpones a reference to a deleted object until that object is restored.
  private func postponeReference(
    _ other: Int64, _ there: _EntityTracker, _ relationship: RelationshipLayout, _ model: any PersistentModel,
    _ tracker: _EntityTracker
  ) {
    let reference = Reference(
      source: (tracker, model._$header.pointee.rowID), relationship: relationship, target: (there, other))
    core.relationships.propagationLog.postpone(reference, until: RowKey(there, other))
  }

  /// Removes members that have other owners: while an object is deleted, its list is not updated when other lists take them.
  private func removeReassignedMembers(
    _ relationship: RelationshipLayout, _ key: Int, of model: any PersistentModel, _ tracker: _EntityTracker,
    _ there: _EntityTracker
  ) {
    guard let key = there.layout.relationship(key) else { return }
    let row = model._$header.pointee.rowID
    func isOwn(_ other: any PersistentModel) -> Bool {
      isInContext(other) && !isDeleted(other) && _ToOneKey.targetRow(of: other._$foreignKey(key.property)) == row
    }
    if !relationship.isToMany { _ = tracker.concreteTracker(model).invalidateInverseKeys() }
    switch model._$relationshipValue(relationship.property) {
    case .many(let members?):
      let own = members.filter(isOwn)
      guard own.count < members.count else { return }
      let tracker = tracker.concreteTracker(model)
      // A list that was not edited is loaded anew, so that a rollback need not handle this.
      guard relationship.isEdited(of: model) else {
        tracker.unloadRecordingBase(model, relationship.property)
        // Other contexts may have moved members, which the program does not know.
        let moved = Set(members.filter { !isOwn($0) && (!isInContext($0) || key.isEdited(of: $0)) }.rowIDs)
        return tracker.updateBase(model, relationship) { shown in shown.removeAll { moved.contains($0) } }
      }
      let mark = tracker.stamp(model, relationship.property, members: own.rowIDs)
      model._$applyChange(relationship.property, .objects(own, generation: mark))
    case .one(let other, _) where other > 0:
      let isLost =
        there.find(other).map(there.erased).map { !isOwn($0) }
        ?? (core.relationships.propagationLog.discardedInsert(from: RowKey(there, other)) != nil)
      if isLost { core.setForeignKey(model, tracker, relationship, 0) }
    default: break
    }
  }

  // MARK: Restored references

  /// Restores a reference that a deletion removed, or postpones it until both objects are restored.
  ///
  /// - Returns: `false` if one of the objects references another object instead.
  @discardableResult
  private mutating func restoreReference(_ reference: Reference) -> Bool {
    let (relationship, inverse) = (reference.relationship, reference.relationship.inverse)
    let (there, here) = (reference.target.tracker, reference.source.tracker)
    for (tracker, row) in [reference.source, reference.target] where tracker.isDeleted(row) {
      core.relationships.propagationLog.postpone(reference, until: RowKey(tracker, row))
      return true
    }
    let target = there.find(reference.target.row).map(there.erased)
    // An object that is not in memory was not changed.
    guard let holder = here.find(reference.source.row).map(here.erased) else { return true }
    if !relationship.isToMany, !canReference(holder, here, relationship, reference.target.row) { return false }
    if let target, let inverse, !inverse.isToMany, !canReference(target, there, inverse, reference.source.row) {
      return false
    }
    let isHolderMoved = !relationship.isToMany && updateForeignKey(holder, here, relationship, reference.target.row)
    var isTargetMoved = false
    if let target, let inverse, !inverse.isToMany {
      isTargetMoved = updateForeignKey(target, there, inverse, reference.source.row)
    }
    guard let target else { return true }
    if relationship.isToMany {
      memberInsertions.append(target, to: holder, here, relationship, isReassigned: isTargetMoved)
    }
    if let inverse, inverse.isToMany {
      memberInsertions.append(holder, to: target, there, inverse, isReassigned: isHolderMoved)
    }
    return true
  }

  /// Sets a foreign key.
  ///
  /// - Returns: Whether the key had another value.
  private func updateForeignKey(
    _ model: any PersistentModel, _ tracker: _EntityTracker, _ relationship: RelationshipLayout, _ row: Int64
  ) -> Bool {
    guard model._$foreignKey(relationship.property) != row else { return false }
    core.setForeignKey(model, tracker, relationship, row)
    return true
  }

  /// Returns whether a to-one references a row, or is as the deletion has left it.
  private func canReference(
    _ model: any PersistentModel, _ tracker: _EntityTracker, _ relationship: RelationshipLayout, _ row: Int64
  ) -> Bool {
    if case .inverse = relationship.storage { _ = tracker.concreteTracker(model).invalidateInverseKeys() }
    let key = model._$foreignKey(relationship.property)
    // An edited to-one is never unknown. A value that a redo set is no edit if the store has it anyway, and is unloaded when
    // other contexts commit, although it was settled: then the keys that reference the object determine it.
    if key == row || key == _ToOneKey.notLoaded { return true }
    let place = RowKey(tracker, model._$header.pointee.rowID)
    if core.relationships.propagationLog.isExplicitlySet(place, relationship.property) { return false }
    return key == 0 || _ToOneKey.targetRow(of: key) == row
  }

  private func isInContext(_ model: any PersistentModel) -> Bool { model._$header.pointee.tracker?.core === core }
  private func isDeleted(_ model: any PersistentModel) -> Bool { model._$header.pointee.status.contains(.deleted) }
}
