// An object that is being edited, and a row that somebody else has written.

import LarderSupport

extension EntityState {
  /// What an object takes over of its row.
  struct TakingOver {
    /// The properties that follow the row.
    var mask: PropertyMask
    /// To-ones that follow the row whatever else shares their bit.
    var keys: [RelationLayout]
    /// Whether the object counts as read. If not, the save finds by its version that there is a conflict.
    var isRead: Bool
  }

  /// Decides what becomes of an object's edits.
  ///
  /// - Parameters:
  ///   - stored: An object of what the row has by now, in no context.
  ///   - version: The version of the row by now.
  func mergeEdits<Model: PersistentModel>(of model: Model, with stored: Model, _ version: Int64) -> TakingOver {
    let header = model._$header
    let isEdited = hasEdits(header)
    let restored = isEdited ? rebaseEdits(of: model, on: stored, version) : 0
    let rest = ~header.pointee.changed | restored
    let keys = layout.relations.filter { relation in
      guard case .key = relation.form, ModelLayout.sharesBit(relation.property) else { return false }
      return !relation.isEdited(of: model)
    }
    switch core.mergePolicy {
    case .error where isEdited || header.pointee.status.contains(.deleted):
      leaveBehind(header.pointee.rowID)
      return TakingOver(mask: rest, keys: keys, isRead: false)
    case .overwrite where isEdited && hasEdits(header):
      leaveBehind(header.pointee.rowID)
      // Both ends of a relationship must agree, and the other end may be in another row.
      let relations = layout.relations.reduce(0) { ModelLayout.sharesBit($1.property) ? $0 : $0 | $1.bit }
      return TakingOver(mask: rest & relations, keys: keys, isRead: false)
    default: return TakingOver(mask: rest, keys: keys, isRead: true)
    }
  }

  /// Whether the row of an object would be written by a save.
  func hasEdits(_ header: UnsafeMutablePointer<ModelHeader.Fields>) -> Bool {
    header.pointee.status.contains(.changed) && header.pointee.changed & layout.storedMask != 0
  }

  /// Compares what each edited property was edited from with what is stored by now.
  ///
  /// - Returns: Properties that follow the row although relationships which share their bit stay edited.
  private func rebaseEdits<Model: PersistentModel>(of model: Model, on stored: Model, _ version: Int64) -> PropertyMask
  {
    var restored: PropertyMask = 0
    let header = model._$header
    let storeWins = core.mergePolicy == .mergeByPropertyStoreTrump
    let isLeftBehind = core.mergePolicy == .error || core.mergePolicy == .overwrite
    var rest = header.pointee.changed & layout.storedMask
    while rest != 0 {
      let bit = rest.first
      rest &= ~bit
      guard let entry = undo.entry(of: header.pointee.place, bit) else { continue }
      // An object that is left behind is brought in step when its edits end. Until then it is known what it was edited
      // from: another policy may ask for that. What follows from lists and deletions overwrites nothing.
      if core.mergePolicy == .error { continue }
      if layout.hasSharedBit, bit == ModelLayout.bit(ModelLayout.lastBit) {
        if isLeftBehind {
          letSharedKeysGiveWay(of: model, entry, to: stored)
        } else {
          rebaseSharedEdits(of: model, entry, on: stored, version)
        }
        continue
      }
      if isLeftBehind, !givesWay(model, bit, to: stored) { continue }
      let gaveWay = storeWins && isChangedBesideRow(model, bit, version)
      forgetLoaded(model, bit)
      let values = values(of: stored, bit)
      if !gaveWay, undo.values(of: entry).elementsEqual(values) { continue }
      if storeWins || givesWay(model, bit, to: stored) {
        let sharing = layout.relations.filter { $0.bit == bit && ModelLayout.sharesBit($0.property) }
        for relation in sharing { movedKeys.remove(RelationPlace(model, relation.property)) }
        forgetEditsBesideRow(of: model, bit)
        // What other rows tell is merged by itself.
        if sharing.contains(where: { formerRelations[RelationPlace(model, $0.property)] != nil }) {
          undo.replace(entry, with: values)
          restored |= bit
        } else {
          undo.forget(entry)
          header.pointee.changed &= ~bit
          pendingEnded()
        }
      } else {
        // A rollback leads to what is stored by now.
        undo.replace(entry, with: values)
      }
    }
    core.touch(header.pointee.rowID, self)
    if header.pointee.changed == 0 { dropEdits(of: model) }
    return restored
  }

  /// Whether a bit is that of a to-one which gives way to another. See ``givesWay(_:_:from:to:)``.
  private func givesWay<Model: PersistentModel>(_ model: Model, _ bit: PropertyMask, to stored: Model) -> Bool {
    let property = bit.firstIndex
    guard !ModelLayout.sharesBit(property), let relation = layout.relation(property) else { return false }
    return givesWay(model, relation, from: formerKey(of: model, relation), to: stored._$key(property))
  }

  private func values<Model: PersistentModel>(of model: Model, _ bit: PropertyMask) -> [StoredValue] {
    StoredColumns(of: model, layout, bit).values
  }

  /// What a rollback restores of values beside the row was loaded before the row was changed: it is read anew.
  private func forgetLoaded(_ model: any PersistentModel, _ bit: PropertyMask) {
    for property in layout.propertiesBesideRows
    where ModelLayout.bit(property.index) == bit && !property.placement.isEphemeral {
      formerRelations[RelationPlace(model, property.index)]?.value = .held(nil)
    }
  }

  /// Forgets what was changed of an object since the last save, without restoring it: all, or some of its properties.
  func dropEdits(of model: any PersistentModel, among mask: PropertyMask = ~0) {
    let header = model._$header
    guard header.pointee.status.contains(.changed) else { return }
    var rest = header.pointee.changed & mask
    while rest != 0 {
      let bit = rest.first
      rest &= ~bit
      if let entry = undo.entry(of: header.pointee.place, bit) { undo.forget(entry) }
    }
    for property in layout.properties where property.bit & mask != 0 {
      let place = RelationPlace(model, property.index)
      formerRelations[place] = nil
      linkEdits[place] = nil
      movedKeys.remove(place)
      cededKeys[place] = nil
    }
    header.pointee.changed &= ~mask
    core.touch(header.pointee.rowID, self)
    pendingEnded()
    if header.pointee.changed != 0 { return }
    header.pointee.status.remove(.edited)
    unchanged += 1
  }

  /// Takes out of the list of changed objects those that are not changed any more.
  func dropUnchanged() {
    if hasUnchanged { dropUnchanged(layout.type) }
  }

  private func dropUnchanged<Model: PersistentModel>(_ type: Model.Type) {
    pendingEnded()
    var held: [AnyObject] = []
    defer { withExtendedLifetime(held) {} }
    // Edits that are undone one by one end from the last.
    var left = unchanged
    unchanged = 0
    while left > 0, let last = changed.last,
      !unsafeDowncast(last, to: Model.self)._$header.pointee.status.contains(.changed)
    {
      held.append(changed.removeLast())
      left -= 1
    }
    if left > 0 { return dropUnchangedAmongOthers(type) }
    if changed.isEmpty {
      dirtyMask = 0
      undo.removeAll()
    } else {
      undo.shortened()
    }
  }

  private func dropUnchangedAmongOthers<Model: PersistentModel>(_ type: Model.Type) {
    var places: [Int32] = []
    places.reserveCapacity(changed.count)
    var kept: [AnyObject] = []
    for object in changed {
      let header = unsafeDowncast(object, to: Model.self)._$header
      guard header.pointee.status.contains(.changed) else {
        places.append(-1)
        continue
      }
      header.pointee.place = Int32(truncatingIfNeeded: kept.count)
      places.append(header.pointee.place)
      kept.append(object)
    }
    let held = changed
    defer { withExtendedLifetime(held) {} }
    changed = kept
    if kept.isEmpty {
      dirtyMask = 0
      undo.removeAll()
    } else {
      undo.renumber(places)
    }
  }
}
