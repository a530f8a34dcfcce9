import LarderSupport

/// An object that existed before a step, and exists after the reversal of the step.
struct StepOwner {
  let change: ObjectChange
  let model: any PersistentModel
  let tracker: _EntityTracker
  /// Whether the reversal restores it.
  let isRestored: Bool
}

/// The reversal of a step, by ordinary changes.
///
/// First, objects are restored; then attributes, keys and lists get their former values; last, inserted objects are deleted.
/// Objects that other contexts deleted meanwhile are missing, and nothing may reference them.
struct StepReversal {
  let core: _ContextCore
  private let recorder: UndoRecorder
  private var step: UndoStep
  private var objects: StepObjects

  init(_ step: UndoStep, _ core: _ContextCore, _ recorder: UndoRecorder) {
    self.step = step
    self.core = core
    self.recorder = recorder
    objects = StepObjects(core)
  }

  mutating func perform() throws {
    try core.propagateDeletions()
    step = try step.resolved(core)
    try objects.find(step.changes)
    let (back, consequences) = try restoreDeleted()
    // Objects that were deleted along with these are restored to their state before the step, too.
    var recall = DeletePropagationRollback(core)
    try recall.restoreCascaded(consequences)
    for model in recall.restoredModels { objects.addRestored(model) }
    let leaving = try objectsToDelete()
    let owners = owners(back)
    for owner in owners { restoreValues(of: owner) }
    var relationships = RelationshipReversal(
      core, objects, owners, deleted: Set(leaving.map { ObjectIdentifier($0.model) }), saveCount: recorder.saveCount)
    try relationships.restoreForeignKeys()
    // After the step's own keys, and before the keys of restored objects are followed.
    try recall.restoreReferences()
    try relationships.reconnectRestored()
    try relationships.restoreToManys()
    try deleteInserted(leaving)
    #if DEBUG
      OperationInvariants.check(core, owners.map(\.model) + recall.restoredModels)
      core._checkInvariants()
    #endif
  }

  private func owners(_ back: Set<ObjectIdentifier>) -> [StepOwner] {
    step.changes.compactMap { change in
      guard change.existed, let tracker = core.existingTracker(for: change.layout),
        let model = objects[RowKey(tracker, change.row)]
      else { return nil }
      let isBack = back.contains(ObjectIdentifier(model))
      // Another process's row may have the row ID of an object that is not restored.
      if change.isDeletion, !isBack, model !== change.instance { return nil }
      return StepOwner(change: change, model: model, tracker: tracker.concreteTracker(model), isRestored: isBack)
    }
  }

  // MARK: Restoring objects

  /// Restores deleted objects.
  ///
  /// - Returns: The restored objects, and the consequences of their deletions that other contexts' saves have caused since.
  private mutating func restoreDeleted() throws -> (Set<ObjectIdentifier>, [PropagationLog.Effect]) {
    var returning: [RowKey: ObjectChange] = [:]
    for change in step.changes where change.isDeletion {
      let place = RowKey(try core.tracker(for: change.layout), change.row)
      if objects[place] != nil { continue }
      let isHere = core.existingTracker(for: change.layout)?.isDeleted(change.row) == true
      if isHere ? objects.stored.contains(place) : ObjectRestoration.isPossible(change) { returning[place] = change }
    }
    try excludeUnrestorable(from: &returning)
    var back: Set<ObjectIdentifier> = []
    var returned: [any PersistentModel] = []
    var consequences: [PropagationLog.Effect] = []
    for change in step.changes where change.isDeletion {
      let place = RowKey(try core.tracker(for: change.layout), change.row)
      guard let change = returning[place] else { continue }
      consequences += core.relationships.propagationLog.remoteEffects(of: place)
      // The other consequences are part of the step.
      consequences += core.relationships.propagationLog.removePostponed(for: place)
      let model = try ObjectRestoration(core, recorder, change).restore()
      objects[place] = model
      returned.append(model)
      back.insert(ObjectIdentifier(model))
    }
    removeFromDeleted(of: returned)
    return (back, consequences)
  }

  /// Removes restored objects from the lists of deleted ones. For many objects, each list is searched once.
  private func removeFromDeleted(of returned: [any PersistentModel]) {
    if returned.count > StepReversal.individualRemovalLimit {
      for tracker in core.trackers where !tracker.deleted.isEmpty { tracker.removeRestoredInstances() }
    } else {
      for model in returned { model._$header.pointee.tracker?.deleted.removeInstance(model) }
    }
  }

  private static let individualRemovalLimit = 16

  /// Excludes objects that must reference an object that is gone.
  private func excludeUnrestorable(from returning: inout [RowKey: ObjectChange]) throws {
    var isSettled = false
    while !isSettled {
      isSettled = true
      for (place, change) in returning {
        for relationship in change.layout.relationships where !relationship.isOptional && !relationship.isToMany {
          guard let key = change.foreignKeys[relationship.property] else { continue }
          let target = RowKey(try core.tracker(for: relationship.destinationLayout), _ToOneKey.targetRow(of: key))
          if objects[target] != nil || returning[target] != nil { continue }
          Log.warning(
            "\(change.layout.entityName) \(place.row) stays deleted: \(relationship.name) led to what others have deleted."
          )
          returning[place] = nil
          isSettled = false
          break
        }
      }
    }
  }

  // MARK: Restoring values

  private func restoreValues(of owner: StepOwner) {
    let (change, model, tracker, isBack) = (owner.change, owner.model, owner.tracker, owner.isRestored)
    func isOwn(_ property: Int) -> Bool {
      !isBack || change.mustRestore(property, model, saveCount: recorder.saveCount)
    }
    ObjectColumns.assign(change.columns.filter { isOwn($0.key) }, to: model, tracker)
    for (property, value) in change.boxedValues where isOwn(property) {
      let codec = tracker.layout.properties[property].codec
      if case .boxed(let now?) = model._$relationshipValue(property), codec.isSame(boxed: now, value) { continue }
      tracker.setBoxedValue(model, property, to: value)
    }
  }

  // MARK: Deleting inserted objects

  private func objectsToDelete() throws -> [(model: any PersistentModel, tracker: _EntityTracker)] {
    try step.changes.filter(\.isInsertion).compactMap { change in
      let tracker = try core.tracker(for: change.layout)
      let place = RowKey(tracker, change.row)
      guard !recorder.wasUpserted(place, change), let model = objects[place],
        !model._$header.pointee.status.contains(.deleted)
      else { return nil }
      return (model, tracker.concreteTracker(model))
    }
  }

  private func deleteInserted(_ leaving: [(model: any PersistentModel, tracker: _EntityTracker)]) throws {
    // Objects that were related to it since its insert must not be deleted along with it, nor prevent its deletion.
    for (model, tracker) in leaving {
      for relationship in tracker.layout.relationships
      where relationship.deleteRule == .cascade || relationship.deleteRule == .deny {
        if !relationship.isToMany {
          if relationship.isOptional { try core.setToOne(model, tracker, relationship, to: nil) }
        } else if relationship.inverse == nil {
          try core.setToMany(model, tracker, relationship, to: [])
        }
      }
    }
    // The last ones first: they are at the end of the lists of pending objects.
    for (model, tracker) in leaving.reversed() {
      // A redo deletes as the program did. An undo only reverts an insert, which may itself have reverted a deletion.
      if recorder.manager.isRedoing { tracker.recordExplicitDeletion(of: model._$header.pointee.rowID) }
      delete(model, tracker)
    }
    core.discardDeletedInserts()
    try core.propagateDeletions()
  }

  private func delete<Model: PersistentModel>(_ model: Model, _ tracker: _EntityTracker) { tracker.delete(model) }
}
