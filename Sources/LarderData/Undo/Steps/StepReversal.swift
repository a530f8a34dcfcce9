import LarderSupport

/// An object that was there before a step, and is there when that is taken back.
struct StepOwner {
  let change: ObjectChange
  let model: any PersistentModel
  let state: EntityState
  /// Whether it comes back with the step.
  let isBack: Bool
}

/// Takes a step back, by changes like any others.
///
/// First objects come back, then attributes, keys and lists are what they were, and last goes what was inserted. What
/// others deleted meanwhile is not there, and nothing is to refer to it.
struct StepReversal {
  let core: ContextCore
  private let recorder: UndoRecorder
  private var step: UndoStep
  private var objects: StepObjects

  init(_ step: UndoStep, _ core: ContextCore, _ recorder: UndoRecorder) {
    self.step = step
    self.core = core
    self.recorder = recorder
    objects = StepObjects(core)
  }

  mutating func run() throws {
    try core.spreadDeletions()
    step = try step.resolved(core)
    try objects.find(step.changes)
    let (back, consequences) = try bringBack()
    // What went along is as it was before the step, too.
    var recall = DeletionRecall(core)
    try recall.revive(consequences)
    for model in recall.revived { objects.note(model) }
    let leaving = try leaving()
    let owners = owners(back)
    for owner in owners { restoreValues(of: owner) }
    var relations = RelationReversal(
      core, objects, owners, going: Set(leaving.map { ObjectIdentifier($0.model) }), saves: recorder.saves)
    try relations.restoreKeys()
    // After what the step says of keys, and before those of objects that are back are followed.
    try recall.relate()
    try relations.rejoin()
    try relations.restoreLists()
    try remove(leaving)
    #if DEBUG
      OperationInvariants.check(core, owners.map(\.model) + recall.revived)
      core._checkInvariants()
    #endif
  }

  private func owners(_ back: Set<ObjectIdentifier>) -> [StepOwner] {
    step.changes.compactMap { change in
      guard change.existed, let state = core.existingState(for: change.layout),
        let model = objects[RowPlace(state, change.row)]
      else { return nil }
      let isBack = back.contains(ObjectIdentifier(model))
      // Somebody else's row may have the number of one that is not back.
      if change.isDeletion, !isBack, model !== change.object { return nil }
      return StepOwner(change: change, model: model, state: state.own(model), isBack: isBack)
    }
  }

  // MARK: What comes back

  /// - Returns: The objects that are back, and what followed from their deletions because of what others saved since.
  private mutating func bringBack() throws -> (Set<ObjectIdentifier>, [DeletionConsequences.Consequence]) {
    var returning: [RowPlace: ObjectChange] = [:]
    for change in step.changes where change.isDeletion {
      let place = RowPlace(try core.state(for: change.layout), change.row)
      if objects[place] != nil { continue }
      let isHere = core.existingState(for: change.layout)?.isDeleted(change.row) == true
      if isHere ? objects.stored.contains(place) : Returning.isPossible(change) { returning[place] = change }
    }
    try keepOut(&returning)
    var back: Set<ObjectIdentifier> = []
    var returned: [any PersistentModel] = []
    var consequences: [DeletionConsequences.Consequence] = []
    for change in step.changes where change.isDeletion {
      let place = RowPlace(try core.state(for: change.layout), change.row)
      guard let change = returning[place] else { continue }
      consequences += core.relations.consequences.followedFromOthers(place)
      // The rest is part of the step.
      consequences += core.relations.consequences.takePostponed(place)
      let model = try Returning(core, recorder, change).bringBack()
      objects[place] = model
      returned.append(model)
      back.insert(ObjectIdentifier(model))
    }
    forgetDeletions(of: returned)
    return (back, consequences)
  }

  /// What is back is no more among the deleted objects. They are looked through for many at once.
  private func forgetDeletions(of returned: [any PersistentModel]) {
    if returned.count > StepReversal.few {
      for state in core.known where !state.deleted.isEmpty { state.forgetDeletedInstances() }
    } else {
      for model in returned { model._$header.pointee.state?.deleted.removeInstance(model) }
    }
  }

  private static let few = 16

  /// What must refer to something that is gone stays away.
  private func keepOut(_ returning: inout [RowPlace: ObjectChange]) throws {
    var isSettled = false
    while !isSettled {
      isSettled = true
      for (place, change) in returning {
        for relation in change.layout.relations where !relation.isOptional && !relation.isToMany {
          guard let key = change.keys[relation.property] else { continue }
          let target = RowPlace(try core.state(for: relation.destinationLayout), ToOneKey.shown(key))
          if objects[target] != nil || returning[target] != nil { continue }
          Log.warning(
            "\(change.layout.entityName) \(place.row) stays deleted: \(relation.name) led to what others have deleted.")
          returning[place] = nil
          isSettled = false
          break
        }
      }
    }
  }

  // MARK: What is as it was

  private func restoreValues(of owner: StepOwner) {
    let (change, model, state, isBack) = (owner.change, owner.model, owner.state, owner.isBack)
    func isOwn(_ property: Int) -> Bool { !isBack || change.isOwn(property, model, saves: recorder.saves) }
    ObjectColumns.assign(change.columns.filter { isOwn($0.key) }, to: model, state)
    for (property, value) in change.held where isOwn(property) {
      let codec = state.layout.properties[property].codec
      if case .held(let now?) = model._$relation(property), codec.isSame(held: now, value) { continue }
      state.editHeld(model, property, to: value)
    }
  }

  // MARK: What goes

  private func leaving() throws -> [(model: any PersistentModel, state: EntityState)] {
    try step.changes.filter(\.isInsertion).compactMap { change in
      let state = try core.state(for: change.layout)
      let place = RowPlace(state, change.row)
      guard !recorder.hasMet(place, change), let model = objects[place],
        !model._$header.pointee.status.contains(.deleted)
      else { return nil }
      return (model, state.own(model))
    }
  }

  private func remove(_ leaving: [(model: any PersistentModel, state: EntityState)]) throws {
    // What it was related to since it came is not to go along, nor to keep it.
    for (model, state) in leaving {
      for relation in state.layout.relations where relation.deleteRule == .cascade || relation.deleteRule == .deny {
        if !relation.isToMany {
          if relation.isOptional { try core.setOne(model, state, relation, to: nil) }
        } else if relation.mirrored == nil {
          try core.setMany(model, state, relation, to: [])
        }
      }
    }
    // The last ones first, which are at the end of what is pending.
    for (model, state) in leaving.reversed() {
      // A redo deletes as the program did. An undo only takes an insert back, which may have taken a deletion back.
      if recorder.manager.isRedoing { state.insist(on: model._$header.pointee.rowID) }
      delete(model, state)
    }
    core.discharge()
    try core.spreadDeletions()
  }

  private func delete<Model: PersistentModel>(_ model: Model, _ state: EntityState) { state.delete(model) }
}
