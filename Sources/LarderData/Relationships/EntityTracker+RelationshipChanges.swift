import LarderSupport
import Observation

/// A relationship of an object.
package struct RelationshipKey: Hashable {
  let object: ObjectIdentifier
  let property: Int

  init(_ model: any PersistentModel, _ property: Int) {
    object = ObjectIdentifier(model)
    self.property = property
  }
}

/// What a relationship held before its first change since the last save.
package struct OriginalRelationship {
  let model: any PersistentModel
  let property: Int
  var value: _RelationshipValue
  /// The context's ``RelationshipGenerations/generation`` of which the value is; 0 where there was none.
  var generation: Int64
  /// The context's ``RelationshipGenerations/generation`` up to which others' changes are merged into what there is now.
  var mergedGeneration: UInt32
  /// The rows of a list as others left it last, with what was taken out here and without what was added, where it was loaded
  /// or merged after its first change. Of a list of pairs ``value`` says so.
  var mergedRows: [Int64]?

  /// The rows of the list that what was changed here is a difference to, where they are known.
  var baseRows: [Int64]? {
    if let mergedRows { return mergedRows }
    return if case .many(let objects?) = value { objects.rowIDs } else { nil }
  }
}

/// What was added to a to-many, and taken from it, while it was not loaded, in that order. Where the members have the
/// key it is only the order that matters.
package struct JoinEdit {
  var added: [any PersistentModel] = []
  var removed: Set<Int64> = []

  /// Some are added no more.
  mutating func removeAdded(_ members: [any PersistentModel]) {
    if added.isEmpty { return }
    if members.count == 1 { return added.removeInstance(members[0]) }
    let leaving = Set(members.map { ObjectIdentifier($0) })
    added.removeAll { leaving.contains(ObjectIdentifier($0)) }
  }
}

extension RelationshipLayout {
  /// Whether a relationship of an object was changed since the last save; those of one that was never saved are.
  @inline(__always)
  func isEdited(of model: any PersistentModel) -> Bool {
    let header = model._$header
    // The mask of one that was never saved says something else.
    if header.pointee.status.contains(.inserted) { return true }
    if header.pointee.changedMask & bit == 0 { return false }
    return !_ModelLayout.sharesBit(property) || hasRecordedChange(of: model)
  }

  /// The same where the bit in the mask of changes may be that of other properties.
  @inline(never)
  private func hasRecordedChange(of model: any PersistentModel) -> Bool {
    guard let tracker = model._$header.pointee.tracker else { return true }
    let place = RelationshipKey(model, property)
    if case .foreignKey = storage { return tracker.changedSharedKeys.contains(place) }
    return tracker.originalRelationships[place] != nil
  }
}

extension _EntityTracker {
  /// Notes that a relationship is about to change: for a rollback, for the save and for fetches.
  func recordRelationshipChange(_ model: any PersistentModel, _ relationship: RelationshipLayout) {
    let header = model._$header
    if header.pointee.status.contains(.changeTracked) {
      core.trackedObjectWillChange(header.pointee.rowID, concreteTracker(model))
    }
    core.reentrantEdits?.recordRelationshipChange(relationship, of: header, layout)
    if !relationship.isToMany { recordImplicitChange(model, relationship) }
    if header.pointee.status.contains(.stored) {
      // A to-one with a column of its own is restored from that, as attributes are.
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

  /// The ``RelationshipGenerations/generation`` that a relationship is of. One that is loaded may be of an earlier one than the context.
  private func mergedGeneration(of model: any PersistentModel, _ relationship: RelationshipLayout) -> UInt32 {
    let loaded = relationship.isToMany ? model._$foreignKey(relationship.property) : 0
    return loaded == 0 ? core.relationMarks.generation : UInt32(truncatingIfNeeded: loaded)
  }

  /// Whether an object of the store was given another object by a to-one of which it has the key.
  func hasChangedForeignKey(_ model: any PersistentModel, _ relationship: RelationshipLayout) -> Bool {
    model._$header.pointee.status.contains(.changed) && relationship.isEdited(of: model)
  }

  /// Whether a to-one of which an object has the key is as the store has it.
  func hasStoredForeignKey(_ model: any PersistentModel, _ relationship: RelationshipLayout) -> Bool {
    model._$header.pointee.status.contains(.stored) && !hasChangedForeignKey(model, relationship)
  }

  /// Notes a change of a relationship, carries it out and tells those who observe it: an observer that saves, or rolls
  /// back, has left nothing noted.
  func withMutation(_ model: any PersistentModel, _ relationship: RelationshipLayout, _ change: () -> Void) {
    withMutation(model, relationship.property) {
      recordRelationshipChange(model, relationship)
      change()
    }
  }

  /// Carries a change out and tells those who observe the property.
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

  // MARK: Link tables

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

  /// The objects that the store joins to one, with what was added and taken away while they were not loaded.
  ///
  /// - Parameter rows: What the store has in a list of members that have the key, where that may be something else.
  func applyJoinEdits(
    _ stored: [any PersistentModel], _ rows: [Int64]?, to model: any PersistentModel, _ relationship: RelationshipLayout
  ) -> [any PersistentModel] {
    let place = RelationshipKey(model, relationship.property)
    guard case .joinTable = relationship.storage else {
      // One that was let go after its first change may have become another meanwhile.
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
    // One that left and came again is the last, as it will be in the store.
    let late = Set(edit.added.map { ObjectIdentifier($0) })
    return stored.filter { !edit.removed.contains($0._$header.pointee.rowID) && !late.contains(ObjectIdentifier($0)) }
      + uniqued(edit.added) { _ in true }
  }

  /// One may have left and come again while the list was not loaded.
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

  /// After a save: to-manys that were changed while others committed have in them what the store had before.
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
  /// Forgets that a pair was taken out, or put in, while the list of its other end was not loaded.
  ///
  /// - Returns: The state of that end.
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
