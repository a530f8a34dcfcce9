// Merging relationships that were changed both here and in other contexts. A merged to-many contains the additions of both
// sides, and lacks the removals of both; if a to-one received two objects, one here and one elsewhere, one of them loses it.

import LarderSupport

extension _ContextCore {
  /// Merges the changes of other contexts into relationships that were changed here and that other rows store.
  ///
  /// - Parameter isChanged: Whether other contexts have changed rows of an entity, given by the topmost class's tracker.
  func mergeEditedRelationships(_ isChanged: (_EntityTracker) -> Bool) throws {
    for tracker in trackers where tracker.dirtyMask != 0 && isChanged(tracker.root) {
      try tracker.mergeSymmetricOneToOnes()
    }
    var pairs = ManyToManyEdits(self, isChanged)
    defer { pairs.applyToUnreadLists() }
    for tracker in trackers where !tracker.originalRelationships.isEmpty {
      var owners: [Int: [any PersistentModel]] = [:]
      for former in tracker.originalRelationships.values where former.mergedGeneration != relationMarks.generation {
        guard let relationship = tracker.concreteTracker(former.model).layout.relationship(former.property),
          isLoadedAndStored(former.model, relationship),
          let there = existingTracker(for: relationship.destinationLayout)?.root,
          isChanged(there) || isChanged(tracker.root)
        else { continue }
        owners[former.property, default: []].append(former.model)
      }
      for (property, owners) in owners {
        guard let relationship = owners.first.flatMap({ tracker.concreteTracker($0).layout.relationship(property) })
        else { continue }
        // In one snapshot: a commit between two reads would show an object in one list and not in the other, as if it had
        // been changed here.
        let (stored, rows) = try tracker.session.read { _ in
          let stored = try loadMembersByOwner(owners, tracker, relationship)
          let unlike = owners.filter { owner in
            let present = stored[owner._$header.pointee.rowID] ?? []
            return tracker.hadPendingDeletion(owner, relationship) || hasLocallyMoved(present, relationship)
              || tracker.lacksOriginalMember(present, owner, relationship)
          }
          let asked = unlike.map { $0._$header.pointee.rowID }
          var rows = try storedMembers(asked, tracker, relationship)
          for row in asked where rows[row] == nil { rows[row] = [] }
          return (stored, rows)
        }
        for owner in owners {
          let objects = stored[owner._$header.pointee.rowID] ?? []
          if relationship.isToMany {
            let edits = pairs.edits(of: owner, tracker, relationship, stored: objects)
            tracker.mergeToMany(objects, rows[owner._$header.pointee.rowID], into: owner, relationship, edits)
          } else {
            try tracker.mergeToOne(objects, into: owner, relationship)
          }
        }
      }
    }
  }

  /// Whether a list that was read contains objects with a foreign key set here: they are last, whatever the store's order.
  private func hasLocallyMoved(_ members: [any PersistentModel], _ relationship: RelationshipLayout) -> Bool {
    guard relationship.isToMany, let key = relationship.inverse, !key.isToMany else { return false }
    return members.contains { $0._$header.pointee.status.contains(.stored) && key.isEdited(of: $0) }
  }

  private func isLoadedAndStored(_ model: any PersistentModel, _ relationship: RelationshipLayout) -> Bool {
    let header = model._$header
    guard header.pointee.status.contains(.stored), !header.pointee.status.contains(.deleted) else { return false }
    switch model._$relationshipValue(relationship.property) {
    case .many(_?): return true
    case .one: if case .inverse = relationship.storage { return true }
    default: break
    }
    return false
  }
}

extension _EntityTracker {
  /// Merges to-ones that are their own inverse, of which both rows have a foreign key. For a to-one edited here, other rows that
  /// reference the same object elsewhere, in memory or not, lose their reference.
  fileprivate func mergeSymmetricOneToOnes() throws {
    for relationship in layout.relationships where !relationship.isToMany && relationship.isSymmetric {
      if dirtyMask & relationship.bit == 0 { continue }
      let owners = changed.map(erased).filter { owner in
        !owner._$header.pointee.status.contains(.deleted) && hasChangedForeignKey(owner, relationship)
      }
      if owners.isEmpty { continue }
      core.relationMarks.hasProvisionalLoads = true
      let rows = owners.map { $0._$header.pointee.rowID }
      let there = try core.tracker(for: relationship.destinationLayout)
      let groups = try there.loadReferrers(rows, relationship.property)
      // The target of such a to-one may have been deleted and inserted again.
      let gone = owners.map { $0._$foreignKey(relationship.property) }.filter { $0 > 0 && there.find($0) == nil }
      let back = try there.loadRows(gone.inOrder())
      let held = Dictionary(back.map { ($0._$header.pointee.rowID, $0) }, uniquingKeysWith: { first, _ in first })
      let rivals = try held.isEmpty ? [:] : there.loadReferrers(held.keys.inOrder(), relationship.property)
      for owner in owners {
        guard let other = held[owner._$foreignKey(relationship.property)], !hasChangedForeignKey(other, relationship)
        else { continue }
        core.setForeignKey(other, concreteTracker(other), relationship, owner._$header.pointee.rowID)
        // The context that inserted it again may have related another object to it.
        let ledByOthers = (rivals[other._$header.pointee.rowID] ?? []).filter { $0 !== owner }
        if core.mergePolicy == .error, !ledByOthers.isEmpty {
          concreteTracker(other).markAsConflicting(other)
          continue
        }
        for rival in ledByOthers {
          concreteTracker(rival).withMutation(rival, relationship) {
            rival._$applyChange(relationship.property, .foreignKey(0))
          }
        }
      }
      for owner in owners {
        let row = owner._$header.pointee.rowID
        for object in groups[row] ?? [] where object._$header.pointee.rowID != owner._$foreignKey(relationship.property)
        {
          concreteTracker(object).withMutation(object, relationship) {
            object._$applyChange(relationship.property, .foreignKey(0))
          }
        }
      }
    }
  }

  /// Makes a save under ``MergePolicy/error`` refuse an edited object, by an outdated version. The next merge reads the row's
  /// version again.
  private func markAsConflicting(_ model: any PersistentModel) {
    model._$header.pointee.version &-= 1
    markStale(model._$header.pointee.rowID)
  }

  /// Returns the objects whose rows are in a list of rows, in that order.
  private func ordered(_ objects: [any PersistentModel], _ rows: [Int64]) -> [any PersistentModel] {
    let byRow = Dictionary(
      objects.map { ($0._$header.pointee.rowID, $0) }, uniquingKeysWith: { first, _ in first })
    return rows.compactMap { byRow[$0] }
  }

  private func isPendingDeletion(_ model: any PersistentModel) -> Bool {
    model._$header.pointee.status.contains(.deleted)
  }

  /// Whether a many-to-many list was changed, and originally contained an object that is deleted here.
  fileprivate func hadPendingDeletion(_ owner: any PersistentModel, _ relationship: RelationshipLayout) -> Bool {
    guard relationship.usesJoinTable,
      case .many(let base?)? = originalRelationships[RelationshipKey(owner, relationship.property)]?.value
    else { return false }
    return base.contains(where: isPendingDeletion)
  }

  /// Whether a list whose members have the foreign key lacks original members: they may have been moved or deleted here, and
  /// may still be in the store's list; each keeps its position there if the change is undone.
  fileprivate func lacksOriginalMember(
    _ present: [any PersistentModel], _ owner: any PersistentModel, _ relationship: RelationshipLayout
  ) -> Bool {
    guard relationship.isToMany, !relationship.usesJoinTable,
      let former = originalRelationships[RelationshipKey(owner, relationship.property)]?.baseRows
    else { return false }
    return !Set(present.rowIDs).isSuperset(of: former)
  }

  /// Merges, for a to-one whose foreign key is in the other row, the objects that were given the key in other contexts.
  fileprivate func mergeToOne(
    _ objects: [any PersistentModel], into owner: any PersistentModel, _ relationship: RelationshipLayout
  ) throws {
    originalRelationships[RelationshipKey(owner, relationship.property)]?.mergedGeneration =
      core.relationMarks.generation
    guard let key = relationship.inverse else { return }
    let there = try core.tracker(for: relationship.destinationLayout)
    // Another context has set it to another object, in a row that is not in memory.
    if objects.isEmpty, owner._$foreignKey(relationship.property) != 0 {
      withMutation(owner, relationship.property) { owner._$applyChange(relationship.property, .foreignKey(0)) }
    }
    for object in objects where object._$header.pointee.rowID != owner._$foreignKey(relationship.property) {
      // The object may have lost the key to another one meanwhile.
      guard object._$foreignKey(key.property) == owner._$header.pointee.rowID else { continue }
      there.mergeOneToOne(object, key, by: owner, relationship, self)
    }
  }

  /// - Parameters:
  ///   - stored: The list's present members, read from the store and with pending edits applied.
  ///   - rows: The members in the store, if they may differ: a member that was deleted here, or moved out of the list, may come
  ///     back, and must then be absent if it was removed; and a member moved into the list here has another position.
  ///   - edits: The additions to and removals from a many-to-many list, at either end. See ``ManyToManyEdits``.
  func mergeToMany(
    _ stored: [any PersistentModel], _ rows: [Int64]?, into owner: any PersistentModel,
    _ relationship: RelationshipLayout,
    _ edits: [Int64: Bool] = [:]
  ) {
    let place = RelationshipKey(owner, relationship.property)
    guard let former = originalRelationships[place],
      case .many(let current?) = owner._$relationshipValue(relationship.property)
    else {
      return
    }
    originalRelationships[place]?.mergedGeneration = core.relationMarks.generation
    var result: [any PersistentModel]
    if case .joinTable = relationship.storage {
      // A list that was set without having been read keeps the set value, whatever other contexts do.
      guard case .many(let base?) = former.value else { return }
      let (new, known) = applyingEdits(current, base.rowIDs, edits, relationship)
      result = ToManyMerge(local: new, base: known, current: stored, endsWithRemoteAdditions: true).merged()
      // The save compares with the currently stored list.
      originalRelationships[place]?.value = .many(
        rows.map { ordered(stored + base.filter(isPendingDeletion), $0) } ?? stored)
      originalRelationships[place]?.generation = Int64(core.relationMarks.generation)
    } else {
      result = mergeMembers(stored, rows, former, current, relationship)
    }
    if result.elementsEqual(current, by: ===) { return }
    if relationship.usesJoinTable { dropJoinEdits(of: owner, relationship, from: current, to: result) }
    let own = concreteTracker(owner)
    own.recordBase(owner, relationship.property)
    withMutation(owner, relationship.property) {
      let mark = own.stamp(owner, relationship.property, members: result.rowIDs)
      owner._$applyChange(relationship.property, .objects(result, generation: mark))
    }
  }

  /// Returns a many-to-many list and its base, so that their difference is exactly the edits.
  private func applyingEdits(
    _ current: [any PersistentModel], _ base: [Int64], _ edits: [Int64: Bool], _ relationship: RelationshipLayout
  ) -> (new: [any PersistentModel], base: [Int64]) {
    if edits.isEmpty { return (current, base) }
    let (present, known) = (Set(current.rowIDs), Set(base))
    let there = core.existingTracker(for: relationship.destinationLayout)
    let (put, taken) = (edits.keys.filter { edits[$0] == true }.inOrder(), edits.keys.filter { edits[$0] == false })
    let absent = put.filter { !present.contains($0) }.compactMap { row in there?.find(row).flatMap { there?.erased($0) }
    }
    return (
      current.filter { edits[$0._$header.pointee.rowID] != false } + absent,
      base.filter { edits[$0] != true } + taken.filter { !known.contains($0) }
    )
  }

  /// Merges a list whose members have the foreign keys: the list was read with pending changes, so only the order is merged.
  private func mergeMembers(
    _ read: [any PersistentModel], _ rows: [Int64]?, _ former: OriginalRelationship, _ current: [any PersistentModel],
    _ relationship: RelationshipLayout
  ) -> [any PersistentModel] {
    let now = Set(read.rowIDs)
    // A member that the store's list lacks was added here, even if it was a member before.
    let present = rows.map { Set($0) } ?? now
    let stored = rows.map { ordered(read, $0) + read.filter { !present.contains($0._$header.pointee.rowID) } } ?? read
    let kept = current.filter { now.contains($0._$header.pointee.rowID) }
    guard let key = relationship.inverse, let before = former.baseRows else {
      let there = Set(kept.rowIDs)
      return kept + stored.filter { !there.contains($0._$header.pointee.rowID) }
    }
    let known = Set(before)
    // An unedited member that was not in the list before was moved there by another context.
    let own = kept.filter { known.contains($0._$header.pointee.rowID) || key.isEdited(of: $0) }
    let wanted = Set(own.rowIDs)
    let added = wanted.filter { !known.contains($0) || !present.contains($0) }
    let others = stored.filter { !added.contains($0._$header.pointee.rowID) }
    // Members that were moved out of the list here, or deleted, are among these rows: when such a member comes back by an undo,
    // it does not count as added by another context.
    originalRelationships[RelationshipKey(former.model, relationship.property)]?.mergedRows =
      rows.map { rows in rows.filter { !added.contains($0) } } ?? others.rowIDs
    // A member that was removed here and is in the list nonetheless counts as added by another context.
    let base = before.filter { wanted.contains($0) ? !added.contains($0) : !now.contains($0) }
    return ToManyMerge(local: own, base: base, current: others, endsWithRemoteAdditions: true).merged()
  }

  /// Discards the edits at the other end, which may not be loaded, of members that a merge removes from a list or adds to it.
  private func dropJoinEdits(
    of owner: any PersistentModel, _ relationship: RelationshipLayout, from current: [any PersistentModel],
    to result: [any PersistentModel]
  ) {
    guard let inverse = relationship.inverse else { return }
    let kept = Set(current.map { ObjectIdentifier($0) }).intersection(result.map { ObjectIdentifier($0) })
    for member in current + result where !kept.contains(ObjectIdentifier(member)) {
      core.discardJoinEdit(of: owner, in: member, inverse)
    }
  }
}
