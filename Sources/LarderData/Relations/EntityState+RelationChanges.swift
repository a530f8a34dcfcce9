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
  /// The context's ``RelationMarks/generation`` of which the value is; 0 where there was none.
  var generation: Int64
  /// The context's ``RelationMarks/generation`` up to which others' changes are merged into what there is now.
  var mergedGeneration: UInt32
  /// The rows of a list as others left it last, with what was taken out here and without what was added, where it was loaded
  /// or merged after its first change. Of a list of pairs ``value`` says so.
  var loaded: [Int64]?

  /// The rows of the list that what was changed here is a difference to, where they are known.
  var rows: [Int64]? {
    if let loaded { return loaded }
    return if case .many(let objects?) = value { objects.rows } else { nil }
  }
}

/// What was added to a to-many, and taken from it, while it was not loaded, in that order. Where the members have the
/// key it is only the order that matters.
package struct LinkEdit {
  var added: [any PersistentModel] = []
  var removed: Set<Int64> = []

  /// Some are added no more.
  mutating func remove(_ members: [any PersistentModel]) {
    if added.isEmpty { return }
    if members.count == 1 { return added.removeInstance(members[0]) }
    let leaving = Set(members.map { ObjectIdentifier($0) })
    added.removeAll { leaving.contains(ObjectIdentifier($0)) }
  }
}

extension RelationLayout {
  /// Whether a relationship of an object was changed since the last save; those of one that was never saved are.
  @inline(__always)
  func isEdited(of model: any PersistentModel) -> Bool {
    let header = model._$header
    // The mask of one that was never saved says something else.
    if header.pointee.status.contains(.inserted) { return true }
    if header.pointee.changed & bit == 0 { return false }
    return !ModelLayout.sharesBit(property) || isNoted(of: model)
  }

  /// The same where the bit in the mask of changes may be that of other properties.
  @inline(never)
  private func isNoted(of model: any PersistentModel) -> Bool {
    guard let state = model._$header.pointee.state else { return true }
    let place = RelationPlace(model, property)
    if case .key = form { return state.movedKeys.contains(place) }
    return state.formerRelations[place] != nil
  }
}

extension EntityState {
  /// Notes that a relationship is about to change: for a rollback, for the save and for fetches.
  func noteChange(_ model: any PersistentModel, _ relation: RelationLayout) {
    let header = model._$header
    if header.pointee.status.contains(.watched) { core.watchedChangeComes(of: header.pointee.rowID, own(model)) }
    core.lateEdits?.noteRelation(relation, of: header, layout)
    if !relation.isToMany { noteCeded(model, relation) }
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
            mergedGeneration: mergedGeneration(of: model, relation))
        }
      }
    }
    if header.pointee.changed & relation.bit == 0 { model._$willWrite(relation.property) }
  }

  /// The ``RelationMarks/generation`` that a relationship is of. One that is loaded may be of an earlier one than the context.
  private func mergedGeneration(of model: any PersistentModel, _ relation: RelationLayout) -> UInt32 {
    let loaded = relation.isToMany ? model._$key(relation.property) : 0
    return loaded == 0 ? core.relationMarks.generation : UInt32(truncatingIfNeeded: loaded)
  }

  /// Whether an object of the store was given another object by a to-one of which it has the key.
  func isMoved(_ model: any PersistentModel, _ relation: RelationLayout) -> Bool {
    model._$header.pointee.status.contains(.changed) && relation.isEdited(of: model)
  }

  /// Whether a to-one of which an object has the key is as the store has it.
  func isAsStored(_ model: any PersistentModel, _ relation: RelationLayout) -> Bool {
    model._$header.pointee.status.contains(.stored) && !isMoved(model, relation)
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
    guard let box = model._$header.pointee.registrar else { return change() }
    guard core.relations.told?.contains(model, property) != true, model._$isToldNow(property) else {
      touch(model)
      return change()
    }
    let observed = layout.observed[property]
    observed.willSet(model, box)
    defer { observed.didSet(model, box) }
    touch(model)
    change()
  }

  // MARK: Link tables

  func noteLink(_ model: any PersistentModel, _ relation: RelationLayout, added: any PersistentModel) {
    let place = RelationPlace(model, relation.property)
    linkEdits[place, default: LinkEdit()].removed.remove(added._$header.pointee.rowID)
    linkEdits[place]?.added.append(added)
  }

  func noteLink(_ model: any PersistentModel, _ relation: RelationLayout, removed members: [any PersistentModel]) {
    let place = RelationPlace(model, relation.property)
    linkEdits[place, default: LinkEdit()].remove(members)
    for member in members { linkEdits[place]?.removed.insert(member._$header.pointee.rowID) }
  }

  /// The objects that the store joins to one, with what was added and taken away while they were not loaded.
  ///
  /// - Parameter rows: What the store has in a list of members that have the key, where that may be something else.
  func linked(
    _ stored: [any PersistentModel], _ rows: [Int64]?, to model: any PersistentModel, _ relation: RelationLayout
  ) -> [any PersistentModel] {
    let place = RelationPlace(model, relation.property)
    guard case .link = relation.form else {
      // One that was let go after its first change may have become another meanwhile.
      if formerRelations[place] != nil, let key = relation.mirrored {
        formerRelations[place]?.loaded = rows ?? stored.filter { !key.isEdited(of: $0) }.rows
        formerRelations[place]?.mergedGeneration = core.relationMarks.generation
      }
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
      unloadShown(former.model, former.property)
    }
  }

  func forgetRelationChanges() {
    let held = (formerRelations, linkEdits)
    formerRelations.removeAll()
    linkEdits.removeAll()
    movedKeys.removeAll()
    cededKeys.removeAll()
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
