// Merging an edited object with a row that another context has written.

import LarderSupport

extension _EntityTracker {
  /// The properties in which an object follows its row, as decided by the merge policy.
  struct RefreshDecision {
    /// The properties that follow the row.
    var mask: _PropertyMask
    /// The to-ones that follow the row, whatever other properties share their bit.
    var sharedKeys: [RelationshipLayout]
    /// Whether the object counts as read. If not, the save detects the conflict by the version.
    var isRead: Bool
  }

  /// Decides which edits of an object are kept.
  ///
  /// - Parameters:
  ///   - stored: An object with the row's current values, in no context.
  ///   - version: The row's current version.
  func mergeEdits<Model: PersistentModel>(of model: Model, with stored: Model, _ version: Int64) -> RefreshDecision {
    let header = model._$header
    let isEdited = hasEdits(header)
    let restored = isEdited ? rebaseEdits(of: model, on: stored, version) : 0
    let rest = ~header.pointee.changedMask | restored
    let keys = layout.relationships.filter { relationship in
      guard case .foreignKey = relationship.storage, _ModelLayout.sharesBit(relationship.property) else { return false }
      return !relationship.isEdited(of: model)
    }
    switch core.mergePolicy {
    case .error where isEdited || header.pointee.status.contains(.deleted):
      markStale(header.pointee.rowID)
      return RefreshDecision(mask: rest, sharedKeys: keys, isRead: false)
    case .overwrite where isEdited && hasEdits(header):
      markStale(header.pointee.rowID)
      // Both ends of a relationship must agree, and the other end may be in another row.
      let relationships = layout.relationships.reduce(0) { _ModelLayout.sharesBit($1.property) ? $0 : $0 | $1.bit }
      return RefreshDecision(mask: rest & relationships, sharedKeys: keys, isRead: false)
    default: return RefreshDecision(mask: rest, sharedKeys: keys, isRead: true)
    }
  }

  /// Whether a save would write the row of an object.
  func hasEdits(_ header: UnsafeMutablePointer<_ModelHeader.Fields>) -> Bool {
    header.pointee.status.contains(.changed) && header.pointee.changedMask & layout.storedMask != 0
  }

  /// Compares the original value of each edited property with the currently stored value.
  ///
  /// - Returns: The properties that follow the row although relationships that share their bit stay edited.
  private func rebaseEdits<Model: PersistentModel>(of model: Model, on stored: Model, _ version: Int64) -> _PropertyMask
  {
    var restored: _PropertyMask = 0
    let header = model._$header
    let storeWins = core.mergePolicy == .mergeByPropertyStoreTrump
    let isLeftBehind = core.mergePolicy == .error || core.mergePolicy == .overwrite
    var rest = header.pointee.changedMask & layout.storedMask
    while rest != 0 {
      let bit = rest.first
      rest &= ~bit
      guard let entry = originalValues.entry(of: header.pointee.changedIndex, bit) else { continue }
      // A stale object is refreshed when its edits end. Until then its original values are kept for the comparison that
      // another policy may need. Edits by lists and deletions overwrite nothing.
      if core.mergePolicy == .error { continue }
      if layout.hasSharedBit, bit == _ModelLayout.bit(_ModelLayout.lastBit) {
        if isLeftBehind {
          yieldSharedKeys(of: model, entry, to: stored)
        } else {
          rebaseSharedEdits(of: model, entry, on: stored, version)
        }
        continue
      }
      if isLeftBehind, !yieldsToStore(model, bit, to: stored) { continue }
      let gaveWay = storeWins && isChangedOutOfRow(model, bit, version)
      unloadOriginals(model, bit)
      let values = storedValues(of: stored, bit)
      if !gaveWay, originalValues.values(of: entry).elementsEqual(values) { continue }
      if storeWins || yieldsToStore(model, bit, to: stored) {
        let sharing = layout.relationships.filter { $0.bit == bit && _ModelLayout.sharesBit($0.property) }
        for relationship in sharing { changedSharedKeys.remove(RelationshipKey(model, relationship.property)) }
        dropOutOfRowEdits(of: model, bit)
        // Relationships that other rows store are merged separately.
        if sharing.contains(where: { originalRelationships[RelationshipKey(model, $0.property)] != nil }) {
          originalValues.replace(entry, with: values)
          restored |= bit
        } else {
          originalValues.remove(entry)
          header.pointee.changedMask &= ~bit
          invalidatePendingIndexes()
        }
      } else {
        // A rollback restores the currently stored values.
        originalValues.replace(entry, with: values)
      }
    }
    core.markRowChanged(header.pointee.rowID, self)
    if header.pointee.changedMask == 0 { dropEdits(of: model) }
    return restored
  }

  /// Whether a bit is that of a to-one that yields to the stored one. See ``yieldsToStore(_:_:from:to:)``.
  private func yieldsToStore<Model: PersistentModel>(_ model: Model, _ bit: _PropertyMask, to stored: Model) -> Bool {
    let property = bit.firstIndex
    guard !_ModelLayout.sharesBit(property), let relationship = layout.relationship(property) else { return false }
    return yieldsToStore(
      model, relationship, from: originalKey(of: model, relationship), to: stored._$foreignKey(property))
  }

  private func storedValues<Model: PersistentModel>(of model: Model, _ bit: _PropertyMask) -> [_StoredValue] {
    StoredColumns(of: model, layout, bit).values
  }

  /// Unloads original values stored outside the row, which were loaded before the row changed: a rollback reads them again.
  private func unloadOriginals(_ model: any PersistentModel, _ bit: _PropertyMask) {
    for property in layout.outOfRowProperties
    where _ModelLayout.bit(property.index) == bit && !property.placement.isEphemeral {
      originalRelationships[RelationshipKey(model, property.index)]?.value = .boxed(nil)
    }
  }

  /// Drops the edits of an object since the last save without restoring its values: all, or those of some properties.
  func dropEdits(of model: any PersistentModel, among mask: _PropertyMask = ~0) {
    let header = model._$header
    guard header.pointee.status.contains(.changed) else { return }
    var rest = header.pointee.changedMask & mask
    while rest != 0 {
      let bit = rest.first
      rest &= ~bit
      if let entry = originalValues.entry(of: header.pointee.changedIndex, bit) { originalValues.remove(entry) }
    }
    for property in layout.properties where property.bit & mask != 0 {
      let place = RelationshipKey(model, property.index)
      originalRelationships[place] = nil
      joinEdits[place] = nil
      changedSharedKeys.remove(place)
      implicitlySetKeys[place] = nil
    }
    header.pointee.changedMask &= ~mask
    core.markRowChanged(header.pointee.rowID, self)
    invalidatePendingIndexes()
    if header.pointee.changedMask != 0 { return }
    header.pointee.status.remove(.edited)
    unchangedCount += 1
  }

  /// Removes objects that are no longer changed from the list of changed objects.
  func removeUnchanged() {
    if hasUnchanged { removeUnchanged(layout.type) }
  }

  private func removeUnchanged<Model: PersistentModel>(_ type: Model.Type) {
    invalidatePendingIndexes()
    var held: [AnyObject] = []
    defer { withExtendedLifetime(held) {} }
    // Edits that are undone one by one end in reverse order.
    var left = unchangedCount
    unchangedCount = 0
    while left > 0, let last = changed.last,
      !unsafeDowncast(last, to: Model.self)._$header.pointee.status.contains(.changed)
    {
      held.append(changed.removeLast())
      left -= 1
    }
    if left > 0 { return compactChanged(type) }
    if changed.isEmpty {
      dirtyMask = 0
      originalValues.removeAll()
    } else {
      originalValues.didRemoveLastObjects()
    }
  }

  private func compactChanged<Model: PersistentModel>(_ type: Model.Type) {
    var places: [Int32] = []
    places.reserveCapacity(changed.count)
    var kept: [AnyObject] = []
    for object in changed {
      let header = unsafeDowncast(object, to: Model.self)._$header
      guard header.pointee.status.contains(.changed) else {
        places.append(-1)
        continue
      }
      header.pointee.changedIndex = Int32(truncatingIfNeeded: kept.count)
      places.append(header.pointee.changedIndex)
      kept.append(object)
    }
    let held = changed
    defer { withExtendedLifetime(held) {} }
    changed = kept
    if kept.isEmpty {
      dirtyMask = 0
      originalValues.removeAll()
    } else {
      originalValues.renumber(places)
    }
  }
}
