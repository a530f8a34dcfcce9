import LarderSupport
import Observation

/// The value of a relationship before its first change since the last save.
package struct OriginalRelationship {
  let model: any PersistentModel
  let property: Int
  var value: _RelationshipValue
  /// The context's ``RelationshipGenerations/generation`` in which the value was read; 0 if there was none.
  var generation: Int64
  /// The context's ``RelationshipGenerations/generation`` up to which other contexts' changes are merged into the present value.
  var mergedGeneration: UInt32
  /// The rows of a list as other contexts left it last, with the members that were removed here and without those that were
  /// added here, if it was loaded or merged after its first change. For a list over a join table, ``value`` has them.
  var mergedRows: [Int64]?

  /// The rows of the list to which the changes made here are a difference, if they are known.
  var baseRows: [Int64]? {
    if let mergedRows { return mergedRows }
    return if case .many(let objects?) = value { objects.rowIDs } else { nil }
  }
}

/// The members that were added to a to-many, and those that were removed from it, while it was not loaded, in that order. If
/// the members have the key, only the order of the added ones matters.
package struct JoinEdit {
  var added: [any PersistentModel] = []
  var removed: Set<Int64> = []

  /// Removes members from the added ones.
  mutating func removeAdded(_ members: [any PersistentModel]) {
    if added.isEmpty { return }
    if members.count == 1 { return added.removeInstance(members[0]) }
    let leaving = Set(members.map { ObjectIdentifier($0) })
    added.removeAll { leaving.contains(ObjectIdentifier($0)) }
  }
}

extension RelationshipLayout {
  /// Returns whether a relationship of an object was changed since the last save, or the object was never saved.
  @inline(__always)
  func isEdited(of model: any PersistentModel) -> Bool {
    let header = model._$header
    // The mask of an object that was never saved has another meaning.
    if header.pointee.status.contains(.inserted) { return true }
    if header.pointee.changedMask & bit == 0 { return false }
    return !_ModelLayout.sharesBit(property) || hasRecordedChange(of: model)
  }

  /// Returns whether the relationship itself was changed, where other properties may share its bit in the mask of changes.
  @inline(never)
  private func hasRecordedChange(of model: any PersistentModel) -> Bool {
    guard let tracker = model._$header.pointee.tracker else { return true }
    let place = RelationshipKey(model, property)
    if case .foreignKey = storage { return tracker.changedSharedKeys.contains(place) }
    return tracker.originalRelationships[place] != nil
  }
}

extension _EntityTracker {
  /// Records that a relationship is about to change: for a rollback, for the save and for fetches.
  func recordRelationshipChange(_ model: any PersistentModel, _ relationship: RelationshipLayout) {
    let header = model._$header
    if header.pointee.status.contains(.changeTracked) {
      core.trackedObjectWillChange(header.pointee.rowID, concreteTracker(model))
    }
    core.reentrantEdits?.recordRelationshipChange(relationship, of: header, layout)
    if !relationship.isToMany { recordImplicitChange(model, relationship) }
    if header.pointee.status.contains(.stored) {
      // A to-one with a column of its own is restored from the column's original value, as attributes are.
      let place = RelationshipKey(model, relationship.property)
      if case .foreignKey = relationship.storage {
        if _ModelLayout.sharesBit(relationship.property) { changedSharedKeys.insert(place) }
      } else {
        if originalRelationships[place] == nil {
          originalRelationships[place] = OriginalRelationship(
            model: model, property: relationship.property, value: model._$relationshipValue(relationship.property),
            generation: relationship.isToMany
              ? model._$foreignKey(relationship.property) : Int64(core.relationMarks.generation),
            mergedGeneration: mergedGeneration(of: model, relationship))
        }
      }
    }
    if header.pointee.changedMask & relationship.bit == 0 { model._$recordOriginalValue(relationship.property) }
  }

  /// Returns the ``RelationshipGenerations/generation`` of a relationship. A loaded one may be of an earlier one than the context.
  private func mergedGeneration(of model: any PersistentModel, _ relationship: RelationshipLayout) -> UInt32 {
    let loaded = relationship.isToMany ? model._$foreignKey(relationship.property) : 0
    return loaded == 0 ? core.relationMarks.generation : UInt32(truncatingIfNeeded: loaded)
  }

  /// Returns whether a stored object was given another target in a to-one whose key is in its own row.
  func hasChangedForeignKey(_ model: any PersistentModel, _ relationship: RelationshipLayout) -> Bool {
    model._$header.pointee.status.contains(.changed) && relationship.isEdited(of: model)
  }

  /// Returns whether a to-one whose key is in the object's own row has its stored value.
  func hasStoredForeignKey(_ model: any PersistentModel, _ relationship: RelationshipLayout) -> Bool {
    model._$header.pointee.status.contains(.stored) && !hasChangedForeignKey(model, relationship)
  }

  /// Records a change of a relationship, performs it and notifies the observers. The record is made inside, since an observer
  /// that saves or rolls back has removed all records.
  func withMutation(_ model: any PersistentModel, _ relationship: RelationshipLayout, _ change: () -> Void) {
    withMutation(model, relationship.property) {
      recordRelationshipChange(model, relationship)
      change()
    }
  }

  /// Performs a change and notifies the observers of the property.
  func withMutation(_ model: any PersistentModel, _ property: Int, _ change: () -> Void) {
    guard let box = model._$header.pointee.registrar else { return change() }
    guard core.relationships.notifiedProperties?.contains(model, property) != true, model._$notifiesNow(property) else {
      markRowChanged(model)
      return change()
    }
    let observed = layout.observedProperties[property]
    observed.willSet(model, box)
    defer { observed.didSet(model, box) }
    markRowChanged(model)
    change()
  }

  // MARK: Join tables

  func recordJoinEdit(_ model: any PersistentModel, _ relationship: RelationshipLayout, added: any PersistentModel) {
    let place = RelationshipKey(model, relationship.property)
    joinEdits[place, default: JoinEdit()].removed.remove(added._$header.pointee.rowID)
    joinEdits[place]?.added.append(added)
  }

  func recordJoinEdit(
    _ model: any PersistentModel, _ relationship: RelationshipLayout, removed members: [any PersistentModel]
  ) {
    let place = RelationshipKey(model, relationship.property)
    joinEdits[place, default: JoinEdit()].removeAdded(members)
    for member in members { joinEdits[place]?.removed.insert(member._$header.pointee.rowID) }
  }

  /// Returns the stored members of a list, with the members added and without those removed while the list was not loaded.
  ///
  /// - Parameter rows: The stored rows of a list whose members have the key, where they may differ from the loaded ones.
  func applyJoinEdits(
    _ stored: [any PersistentModel], _ rows: [Int64]?, to model: any PersistentModel, _ relationship: RelationshipLayout
  ) -> [any PersistentModel] {
    let place = RelationshipKey(model, relationship.property)
    guard case .joinTable = relationship.storage else {
      // A list that was unloaded after its first change may have changed meanwhile.
      if originalRelationships[place] != nil, let key = relationship.inverse {
        originalRelationships[place]?.mergedRows = rows ?? stored.filter { !key.isEdited(of: $0) }.rowIDs
        originalRelationships[place]?.mergedGeneration = core.relationMarks.generation
      }
      guard let added = joinEdits.removeValue(forKey: place)?.added, !added.isEmpty else { return stored }
      let present = Set(stored.map { ObjectIdentifier($0) })
      let late = Set(added.map { ObjectIdentifier($0) })
      return stored.filter { !late.contains(ObjectIdentifier($0)) }
        + uniqued(added) { present.contains(ObjectIdentifier($0)) }
    }
    if originalRelationships[place] != nil {
      originalRelationships[place]?.value = .many(stored)
      originalRelationships[place]?.generation = Int64(core.relationMarks.generation)
    }
    guard let edit = joinEdits.removeValue(forKey: place) else { return stored }
    // A member that was removed and added again is the last, as it will be in the store.
    let late = Set(edit.added.map { ObjectIdentifier($0) })
    return stored.filter { !edit.removed.contains($0._$header.pointee.rowID) && !late.contains(ObjectIdentifier($0)) }
      + uniqued(edit.added) { _ in true }
  }

  /// Returns the added members without duplicates: one may have been removed and added again while the list was not loaded.
  private func uniqued(
    _ added: [any PersistentModel], _ isMeant: (any PersistentModel) -> Bool
  ) -> [any PersistentModel] {
    var seen: Set<ObjectIdentifier> = []
    return added.filter { isMeant($0) && seen.insert(ObjectIdentifier($0)).inserted }
  }

  // MARK: Rollback

  func restoreOriginalRelationships() {
    for former in originalRelationships.values {
      withMutation(former.model, former.property) {
        switch former.value {
        case .none: break
        case .boxed(let value): former.model._$applyChange(former.property, .boxed(value))
        case .one(let row, _):
          let isCurrent = former.generation == Int64(core.relationMarks.generation)
          former.model._$applyChange(former.property, .foreignKey(isCurrent ? row : _ToOneKey.notLoaded))
        case .many(let objects):
          let isCurrent = objects != nil && former.generation == Int64(core.relationMarks.generation)
          former.model._$applyChange(
            former.property,
            isCurrent ? .objects(objects, generation: core.relationMarks.currentStamp) : .objects(nil, generation: 0))
        }
      }
    }
    discardRelationshipChanges()
  }

  /// Unloads to-manys, after a save, that were changed while other contexts committed: they have the members that were stored
  /// before these commits.
  func unloadStaleToManys() {
    for former in originalRelationships.values {
      guard case .many = former.value, former.generation != Int64(core.relationMarks.generation) else { continue }
      unloadRecordingBase(former.model, former.property)
    }
  }

  func discardRelationshipChanges() {
    let held = (originalRelationships, joinEdits)
    originalRelationships.removeAll()
    joinEdits.removeAll()
    changedSharedKeys.removeAll()
    implicitlySetKeys.removeAll()
    // See ``LifetimeGuard``.
    withExtendedLifetime(held) {}
  }
}

extension _ContextCore {
  /// Removes the record that a pair was removed, or added, while the list of its other end was not loaded.
  ///
  /// - Returns: The tracker of the other end.
  @discardableResult
  func discardJoinEdit(
    of model: any PersistentModel, in other: any PersistentModel, _ relationship: RelationshipLayout
  ) -> _EntityTracker? {
    guard let tracker = other._$header.pointee.tracker else { return nil }
    let place = RelationshipKey(other, relationship.property)
    tracker.joinEdits[place]?.removed.remove(model._$header.pointee.rowID)
    tracker.joinEdits[place]?.added.removeAll { $0 === model }
    return tracker
  }
}
