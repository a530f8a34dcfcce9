import LarderSupport
import Observation

/// A relationship of an object.
package struct RelationPlace: Hashable {
  let object: ObjectIdentifier
  let property: Int

  init(_ model: any PersistentModel, _ property: Int) {
    object = ObjectIdentifier(model)
    self.property = property
  }
}

/// What a relationship held before its first change since the last save.
package struct FormerRelation {
  let model: any PersistentModel
  let property: Int
  var value: RelationValue
  /// The context's count of others' commits of which the value is; 0 where there was none.
  var generation: Int64
  /// The context's count of others' commits up to which their changes are merged into what there is now.
  var mergedGeneration: UInt32
}

/// What was added to a to-many, and taken from it, while it was not loaded, in that order. Where the members have the
/// key it is only the order that matters.
package struct LinkEdit {
  var added: [any PersistentModel] = []
  var removed: Set<Int64> = []
}

extension EntityState {
  /// Notes that a relationship is about to change: for a rollback, for the save and for fetches.
  func noteChange(_ model: any PersistentModel, _ relation: RelationLayout) {
    let header = model._$header
    if header.pointee.status.contains(.watched) { core.watchedChangeComes() }
    if header.pointee.status.contains(.stored) {
      // A to-one with a column of its own is restored from that, as attributes are.
      let place = RelationPlace(model, relation.property)
      if case .key = relation.form {
        if ModelLayout.sharesBit(relation.property) { movedKeys.insert(place) }
      } else {
        if formerRelations[place] == nil {
          formerRelations[place] = FormerRelation(
            model: model, property: relation.property, value: model._$relation(relation.property),
            generation: relation.isToMany ? model._$key(relation.property) : Int64(core.relationMarks.generation),
            mergedGeneration: core.relationMarks.generation)
        }
      }
    }
    if header.pointee.changed & relation.bit == 0 { model._$willWrite(relation.property) }
  }

  /// Whether an object of the store was given another object by a to-one of which it has the key.
  func isMoved(_ model: any PersistentModel, _ relation: RelationLayout) -> Bool {
    let header = model._$header
    guard header.pointee.status.contains(.changed), header.pointee.changed & relation.bit != 0 else { return false }
    if !ModelLayout.sharesBit(relation.property) { return true }
    return own(model).movedKeys.contains(RelationPlace(model, relation.property))
  }

  /// Notes a change of a relationship, carries it out and tells those who observe it: an observer that saves, or rolls
  /// back, has left nothing noted.
  func observe(_ model: any PersistentModel, _ relation: RelationLayout, _ change: () -> Void) {
    observe(model, relation.property) {
      noteChange(model, relation)
      change()
    }
  }

  /// Carries a change out and tells those who observe the property.
  func observe(_ model: any PersistentModel, _ property: Int, _ change: () -> Void) {
    guard let box = model._$header.pointee.registrar, core.relations.told?.contains(model, property) != true,
      model._$isToldNow(property)
    else { return change() }
    let observed = layout.observed[property]
    observed.willSet(model, box)
    defer { observed.didSet(model, box) }
    change()
  }

  // MARK: Link tables

  func noteLink(_ model: any PersistentModel, _ relation: RelationLayout, added: any PersistentModel) {
    let place = RelationPlace(model, relation.property)
    linkEdits[place, default: LinkEdit()].removed.remove(added._$header.pointee.rowID)
    linkEdits[place]?.added.append(added)
  }

  func noteLink(_ model: any PersistentModel, _ relation: RelationLayout, removed: any PersistentModel) {
    let place = RelationPlace(model, relation.property)
    linkEdits[place, default: LinkEdit()].added.removeAll { $0 === removed }
    linkEdits[place]?.removed.insert(removed._$header.pointee.rowID)
  }

  /// The objects that the store joins to one, with what was added and taken away while they were not loaded.
  func linked(
    _ stored: [any PersistentModel], to model: any PersistentModel, _ relation: RelationLayout
  ) -> [any PersistentModel] {
    let place = RelationPlace(model, relation.property)
    guard case .link = relation.form else {
      guard let added = linkEdits.removeValue(forKey: place)?.added, !added.isEmpty else { return stored }
      let present = Set(stored.map { ObjectIdentifier($0) })
      let late = Set(added.map { ObjectIdentifier($0) })
      return stored.filter { !late.contains(ObjectIdentifier($0)) }
        + unique(added) { present.contains(ObjectIdentifier($0)) }
    }
    if formerRelations[place] != nil {
      formerRelations[place]?.value = .many(stored)
      formerRelations[place]?.generation = Int64(core.relationMarks.generation)
    }
    guard let edit = linkEdits.removeValue(forKey: place) else { return stored }
    // One that left and came again is the last, as it will be in the store.
    let late = Set(edit.added.map { ObjectIdentifier($0) })
    return stored.filter { !edit.removed.contains($0._$header.pointee.rowID) && !late.contains(ObjectIdentifier($0)) }
      + unique(edit.added) { _ in true }
  }

  /// One may have left and come again while the list was not loaded.
  private func unique(
    _ added: [any PersistentModel], _ isMeant: (any PersistentModel) -> Bool
  ) -> [any PersistentModel] {
    var seen: Set<ObjectIdentifier> = []
    return added.filter { isMeant($0) && seen.insert(ObjectIdentifier($0)).inserted }
  }

  // MARK: Rollback

  func restoreRelations() {
    for former in formerRelations.values {
      observe(former.model, former.property) {
        switch former.value {
        case .none: break
        case .held(let value): former.model._$change(former.property, .held(value))
        case .one(let row, _):
          let isCurrent = former.generation == Int64(core.relationMarks.generation)
          former.model._$change(former.property, .key(isCurrent ? row : ToOneKey.unknown))
        case .many(let objects):
          let isCurrent = objects != nil && former.generation == Int64(core.relationMarks.generation)
          former.model._$change(
            former.property,
            isCurrent ? .objects(objects, generation: core.relationMarks.stamp) : .objects(nil, generation: 0))
        }
      }
    }
    forgetRelationChanges()
  }

  /// After a save: to-manys that were changed while others committed have in them what the store had before.
  func unloadOutdatedLists() {
    for former in formerRelations.values {
      guard case .many = former.value, former.generation != Int64(core.relationMarks.generation) else { continue }
      former.model._$change(former.property, .objects(nil, generation: 0))
    }
  }

  func forgetRelationChanges() {
    let held = (formerRelations, linkEdits)
    formerRelations.removeAll()
    linkEdits.removeAll()
    movedKeys.removeAll()
    // See ``HeldUntilDone``.
    withExtendedLifetime(held) {}
  }
}

extension ContextCore {
  /// Forgets that a pair was taken out, or put in, while the list of its other end was not loaded.
  ///
  /// - Returns: The state of that end.
  @discardableResult
  func forgetLink(
    of model: any PersistentModel, in other: any PersistentModel, _ relation: RelationLayout
  ) -> EntityState? {
    guard let state = other._$header.pointee.state else { return nil }
    let place = RelationPlace(other, relation.property)
    state.linkEdits[place]?.removed.remove(model._$header.pointee.rowID)
    state.linkEdits[place]?.added.removeAll { $0 === model }
    return state
  }
}
