import LarderSupport

/// Removes objects whose rows other contexts have deleted. They leave the context with their current values, and their edits
/// are dropped. Under ``MergePolicy/error`` edited objects stay, and the save throws the conflict.
struct RemoteDeletions {
  private let core: _ContextCore
  private var deletedObjects: [(model: any PersistentModel, tracker: _EntityTracker)] = []
  /// The to-ones of the deleted objects that the program has set itself.
  private var explicitlySet: Set<RelationshipKey> = []

  init(_ core: _ContextCore) { self.core = core }

  mutating func add(_ model: any PersistentModel) {
    let header = model._$header
    guard let tracker = header.pointee.tracker, header.pointee.status.contains(.stored) else { return }
    // The save deletes the object; a rollback releases it.
    if header.pointee.status.contains(.deleted) { return tracker.markStale(header.pointee.rowID) }
    if core.mergePolicy == .error, tracker.hasExplicitEdits(header) {
      tracker.root.staleDeletedRows.insert(header.pointee.rowID)
      return tracker.markStale(header.pointee.rowID)
    }
    deletedObjects.append((model, tracker))
  }

  mutating func apply() throws {
    if deletedObjects.isEmpty { return }
    // Read before any change, as the read can fail.
    let stored = try storedKeys()
    for (model, tracker) in deletedObjects {
      let header = model._$header
      if header.pointee.status.contains(.toOneSet) {
        for relationship in tracker.layout.relationships
        where !relationship.isToMany && tracker.isSetExplicitly(model, relationship) {
          explicitlySet.insert(RelationshipKey(model, relationship.property))
        }
      }
      if tracker.hasExplicitEdits(header) { core.recordDroppedEdits(tracker, header.pointee.rowID) }
      tracker.dropEdits(of: model)
      header.pointee.status.insert(.deleted)
    }
    removeFromEdited(stored)
    core.withMembershipCache {
      for (model, tracker) in deletedObjects where tracker.layout.hasRelations { tracker.detach(model) }
    }
    RetainCycleBreaking.breakCycles(among: deletedObjects.filter(\.tracker.layout.hasRelations))
    for (model, tracker) in deletedObjects { tracker.release(model._$header, status: [.rowMissing, .deletedRemotely]) }
  }

  /// Removes the deleted objects from edited relationships, which are not reloaded: edited lists, and to-ones whose foreign key
  /// is at the other end or that were set through a list.
  private func removeFromEdited(_ stored: [RelationshipKey: Int64]) {
    let byRoot = deletedByRoot
    for other in core.trackers where other.hasChanges {
      for relationship in other.layout.relationships {
        guard let gone = byRoot[ObjectIdentifier(relationship.destinationLayout.root)] else { continue }
        remove(
          gone.filter { $0.tracker.layout.inherits(from: relationship.destinationLayout) }.map(\.model), from: other,
          relationship,
          stored)
      }
    }
  }

  private var deletedByRoot: [ObjectIdentifier: [(model: any PersistentModel, tracker: _EntityTracker)]] {
    Dictionary(grouping: deletedObjects) { ObjectIdentifier($0.tracker.layout.root) }
  }

  /// Returns the stored values of edited to-ones that reference deleted objects: other contexts may have saved other values since
  /// the edits. Omits foreign keys where the merge policy keeps the edit's original value equal to the stored one.
  private func storedKeys() throws -> [RelationshipKey: Int64] {
    let byRoot = deletedByRoot
    var stored: [RelationshipKey: Int64] = [:]
    for tracker in core.trackers where tracker.hasChanges {
      for relationship in tracker.layout.relationships where !relationship.isToMany {
        guard let gone = byRoot[ObjectIdentifier(relationship.destinationLayout.root)] else { continue }
        let rows = Set(gone.map { $0.model._$header.pointee.rowID })
        let owners = tracker.changed.map(tracker.erased).filter {
          rows.contains($0._$foreignKey(relationship.property))
        }
        if owners.isEmpty { continue }
        let keys: [(row: Int64, target: Int64)]
        switch relationship.storage {
        case .foreignKey:
          guard core.mergePolicy == .overwrite else { continue }
          keys = try tracker.storedForeignKeys(of: owners.rowIDs, relationship)
        case .inverse: keys = try core.storedReferrers(of: owners.rowIDs, relationship)
        case .joinTable: continue
        }
        let targets = Dictionary(keys.map { ($0.row, $0.target) }, uniquingKeysWith: { first, _ in first })
        for owner in owners {
          stored[RelationshipKey(owner, relationship.property)] = targets[owner._$header.pointee.rowID] ?? 0
        }
      }
    }
    return stored
  }

  /// Retains the object of a non-optional to-one, unless the to-one has been changed: it still returns the object until a save
  /// has thrown.
  private func retainTarget(
    _ object: any PersistentModel, of owner: any PersistentModel, _ relationship: RelationshipLayout
  ) {
    let row = object._$header.pointee.rowID
    guard _ToOneKey.targetRow(of: owner._$foreignKey(relationship.property)) == row,
      let there = try? core.tracker(for: relationship.destinationLayout)
    else { return }
    core.relationships.requiredDeletedObjects[RowKey(there, row)] = object
  }

  private func objectsByRow(_ objects: [any PersistentModel]) -> [Int64: any PersistentModel] {
    Dictionary(objects.map { ($0._$header.pointee.rowID, $0) }, uniquingKeysWith: { first, _ in first })
  }

  private func remove(
    _ gone: [any PersistentModel], from tracker: _EntityTracker, _ relationship: RelationshipLayout,
    _ stored: [RelationshipKey: Int64]
  ) {
    if gone.isEmpty { return }
    let rows = Set(gone.rowIDs)
    let needed = relationship.isToMany || relationship.isOptional ? [:] : objectsByRow(gone)
    let ledRows = Set(
      gone.filter { model in
        relationship.inverse.map { explicitlySet.contains(RelationshipKey(model, $0.property)) } ?? false
      }.rowIDs)
    for object in tracker.changed + tracker.inserted {
      let owner = tracker.erased(object)
      guard relationship.isToMany else {
        let row = owner._$foreignKey(relationship.property)
        if rows.contains(row) {
          core.resolveDanglingReference(
            of: owner, tracker, relationship, wasInverseSet: ledRows.contains(row),
            stored: stored.isEmpty ? nil : stored[RelationshipKey(owner, relationship.property)])
          if let object = needed[row] { retainTarget(object, of: owner, relationship) }
        }
        continue
      }
      tracker.dropAddedMembers(rows, to: owner, relationship)
      guard relationship.isEdited(of: owner), let list = owner.memberRowIDs(of: relationship.property),
        list.contains(where: { rows.contains($0) })
      else { continue }
      tracker.withMutation(owner, relationship.property) {
        core.removeFromStorage(gone, of: owner, relationship)
      }
    }
  }
}

extension _EntityTracker {
  /// Whether pending changes of an object were made in it, and do not only follow from a change of a related object.
  func hasExplicitEdits(_ header: UnsafeMutablePointer<_ModelHeader.Fields>) -> Bool {
    let status = header.pointee.status
    guard status.contains(.changed) else { return false }
    return status.contains(.toOneSet) || status.contains(.toManySet)
      || header.pointee.changedMask & ~relationshipMask != 0
  }

  /// The bits of the to-ones that share them with no other property.
  var toOneMask: _PropertyMask { mask { !$0.isToMany } }
  private var relationshipMask: _PropertyMask { mask { _ in true } }

  private func mask(_ condition: (RelationshipLayout) -> Bool) -> _PropertyMask {
    layout.relationships.reduce(0) { mask, relationship in
      condition(relationship) && !_ModelLayout.sharesBit(relationship.property) ? mask | relationship.bit : mask
    }
  }

  /// Drops the additions of deleted members to a list that is not loaded.
  fileprivate func dropAddedMembers(
    _ rows: Set<Int64>, to owner: any PersistentModel, _ relationship: RelationshipLayout
  ) {
    if joinEdits.isEmpty { return }
    joinEdits[RelationshipKey(owner, relationship.property)]?.added.removeAll {
      rows.contains($0._$header.pointee.rowID)
    }
  }
}
