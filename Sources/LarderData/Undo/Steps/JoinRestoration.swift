import LarderSupport

/// The join-table lists that a step restores because objects are restored. Their present stored pairs are compared with the
/// pairs that were stored then, since other contexts may have added and removed some meanwhile.
///
/// If a deletion was not saved, its pairs have been in the store all the time. Then the restored object returns to the lists
/// at both ends, and there is nothing to write.
struct JoinRestoration {
  private let core: _ContextCore
  /// The present stored members of the lists.
  private var stored: [RelationshipKey: [Int64]] = [:]
  /// The members of the lists of restored objects.
  private var objects: [RowKey: any PersistentModel] = [:]

  init(_ core: _ContextCore) { self.core = core }

  /// Reads the present stored members, with two statements for each relationship.
  mutating func read(_ lists: [ToManyReversal]) throws {
    var wanted: [ObjectIdentifier: [ToManyReversal]] = [:]
    for list in lists where list.owner._$header.pointee.status.contains(.stored) {
      guard list.relationship.usesJoinTable, list.snapshot.isRestored(list.owner) || list.snapshot.hasRestoredMember
      else { continue }
      wanted[ObjectIdentifier(list.relationship), default: []].append(list)
    }
    for lists in wanted.values {
      guard let (tracker, relationship) = lists.first.map({ ($0.tracker, $0.relationship) }) else { continue }
      let rows = try core.storedMembers(lists.map { $0.owner._$header.pointee.rowID }, tracker, relationship)
      let there = try core.tracker(for: relationship.destinationLayout)
      for model in try there.loadRows(Set(rows.values.joined()).inOrder()) {
        objects[RowKey(there, model._$header.pointee.rowID)] = model
      }
      for list in lists {
        stored[RelationshipKey(list.owner, relationship.property)] =
          rows[list.owner._$header.pointee.rowID, default: []]
        // All lists, before one is loaded, and others with it.
        if !list.snapshot.isRestored(list.owner) { mergeStoredRows(list, there) }
      }
    }
  }

  // MARK: Lists of restored objects

  /// Restores the list of a restored object, apart from the changes that other contexts made to it.
  ///
  /// - Returns: Whether the list belongs to a restored object.
  func restore(_ list: ToManyReversal) throws -> Bool {
    let (owner, relationship, former) = (list.owner, list.relationship, list.snapshot)
    guard former.isRestored(owner), let rows = stored[RelationshipKey(owner, relationship.property)] else {
      return false
    }
    let there = try core.tracker(for: relationship.destinationLayout)
    let now = rows.compactMap { objects[RowKey(there, $0)] }
    let present = Set(rows)
    var members: [any PersistentModel] = []
    var parted: [any PersistentModel] = []
    var forgotten: [any PersistentModel] = []
    for member in former.members {
      let row = member._$header.pointee.rowID
      if present.contains(row) || !former.wasRemovedRemotely(row) {
        members.append(member)
      } else {
        forgotten.append(member)
      }
    }
    for member in now where !former.rowsBefore.contains(member._$header.pointee.rowID) {
      if member._$header.pointee.status.contains(.deleted) { continue }
      if former.wasAddedRemotely(member._$header.pointee.rowID) {
        members.append(member)
      } else {
        parted.append(member)
      }
    }
    // A member that another context added, and that is deleted here, returns to the list when it is restored. A member that was
    // removed from the list stays out.
    let seen = now.filter { member in
      !member._$header.pointee.status.contains(.deleted) || !former.wasAddedRemotely(member._$header.pointee.rowID)
    }
    if seen.count < now.count { core.relationMarks.hasProvisionalLoads = true }
    setMembers(members, in: list, storedAs: seen)
    guard let inverse = relationship.inverse else { return true }
    func others(_ members: [any PersistentModel]) -> [any PersistentModel] {
      members.filter { $0 !== owner || inverse !== relationship }
    }
    for member in others(members) {
      if present.contains(member._$header.pointee.rowID) {
        restoreStoredPair(owner, in: member, inverse)
      } else if !member.hasMember(owner, in: inverse.property) {
        core.appendMember(member, there, inverse, owner)
      }
    }
    for member in others(parted) {
      core.removeMembers(member, there, inverse, owner)
      recordStoredPair(owner, in: member, inverse)
    }
    for member in others(forgotten) { core.discardJoinEdit(of: owner, in: member, inverse) }
    return true
  }

  private func setMembers(
    _ members: [any PersistentModel], in list: ToManyReversal, storedAs now: [any PersistentModel]
  ) {
    let (owner, tracker, relationship) = (list.owner, list.tracker, list.relationship)
    let place = RelationshipKey(owner, relationship.property)
    // The save compares the list with this value.
    tracker.originalRelationships[place]?.value = .many(now)
    tracker.originalRelationships[place]?.generation = Int64(core.relationMarks.generation)
    tracker.originalRelationships[place]?.mergedGeneration = core.relationMarks.generation
    core.relationMarks.toManyChangeCount &+= 1
    tracker.withMutation(owner, relationship.property) {
      // The program knows the list before the step, but not the changes that other contexts made since.
      let mark = tracker.concreteTracker(owner).setBase(
        owner, relationship.property, list.snapshot.members.rowIDs, members: members.rowIDs)
      owner._$applyChange(relationship.property, .objects(members, generation: mark))
    }
    core.recordLoadedJoinList(owner, relationship.property)
  }

  /// Makes the other end of a stored pair show the pair again, which is no change of that end.
  private func restoreStoredPair(
    _ model: any PersistentModel, in other: any PersistentModel, _ relationship: RelationshipLayout
  ) {
    guard let tracker = core.discardJoinEdit(of: model, in: other, relationship) else { return }
    let place = RelationshipKey(other, relationship.property)
    let isAsStored = isUnchanged(other, relationship, tracker.originalRelationships[place])
    if case .many(let base?)? = tracker.originalRelationships[place]?.value, !base.contains(where: { $0 === model }) {
      tracker.originalRelationships[place]?.value = .many(base + [model])
    }
    // A list that is not loaded is read with the pair.
    guard other._$foreignKey(relationship.property) != 0, !other.hasMember(model, in: relationship.property) else {
      return
    }
    core.relationMarks.toManyChangeCount &+= 1
    if isAsStored {
      // The list is unchanged, in the order of the store.
      tracker.originalRelationships[place]?.value = .many(nil)
      tracker.withMutation(other, relationship.property) {
        tracker.unloadRecordingBase(other, relationship, restored: [model])
      }
    } else {
      tracker.withMutation(other, relationship.property) {
        other._$applyChange(relationship.property, .append(model))
        tracker.updateBase(other, relationship) { shown in
          let row = model._$header.pointee.rowID
          shown.removeAll { $0 == row }
          shown.append(row)
        }
      }
    }
  }

  /// Returns whether a list has no pending change, apart from the members that deletions hide.
  private func isUnchanged(
    _ other: any PersistentModel, _ relationship: RelationshipLayout, _ former: OriginalRelationship?
  ) -> Bool {
    guard other._$header.pointee.status.contains(.stored) else { return false }
    guard let former else { return true }
    guard case .many(let before?) = former.value,
      case .many(let now?) = other._$relationshipValue(relationship.property)
    else {
      return false
    }
    return before.elementsEqual(now, by: ===)
  }

  /// Records for the other end of a pair that is removed here that the store has the pair until the save. Its list may have
  /// been loaded while the pair was hidden.
  private func recordStoredPair(
    _ model: any PersistentModel, in other: any PersistentModel, _ relationship: RelationshipLayout
  ) {
    guard let tracker = other._$header.pointee.tracker, other._$header.pointee.status.contains(.stored),
      !other._$header.pointee.status.contains(.deleted),
      case .many(.some) = other._$relationshipValue(relationship.property)
    else { return }
    if tracker.originalRelationships[RelationshipKey(other, relationship.property)] == nil {
      core.relationMarks.toManyChangeCount &+= 1
      tracker.recordRelationshipChange(other, relationship)
      core.recordLoadedJoinList(other, relationship.property)
    }
    let place = RelationshipKey(other, relationship.property)
    guard case .many(let base?)? = tracker.originalRelationships[place]?.value, !base.contains(where: { $0 === model })
    else { return }
    tracker.originalRelationships[place]?.value = .many(base + [model])
  }

  // MARK: Lists of other objects

  /// Makes lists without an inverse show restored objects that other contexts added while they were deleted: no step records
  /// these.
  func restoreIncomingLists(_ returned: [StepOwner], excluding lists: [ToManyReversal]) throws {
    let restored = Set(lists.map { RelationshipKey($0.owner, $0.relationship.property) })
    var models: [Int: (tracker: _EntityTracker, members: [Int64: any PersistentModel])] = [:]
    for owner in returned where owner.model._$header.pointee.status.contains(.stored) {
      models[owner.tracker.layout.id, default: (owner.tracker, [:])].members[owner.model._$header.pointee.rowID] =
        owner.model
    }
    for (tracker, members) in models.values {
      for incoming in core.container.incomingRelations(of: tracker.layout) {
        guard case .joinTable(let table, _) = incoming.relationship.storage else { continue }
        let there = try core.tracker(for: incoming.layout)
        for (row, holder) in try there.session.joinedRows(of: members.keys.inOrder(), table, isSource: false) {
          guard let member = members[row], let holder = there.find(holder).map(there.erased),
            !restored.contains(RelationshipKey(holder, incoming.relationship.property))
          else { continue }
          restoreIncomingMember(member, in: holder, incoming.relationship)
        }
      }
    }
  }

  private func restoreIncomingMember(
    _ member: any PersistentModel, in holder: any PersistentModel, _ relationship: RelationshipLayout
  ) {
    guard let tracker = holder._$header.pointee.tracker, !holder._$header.pointee.status.contains(.deleted) else {
      return
    }
    let former = tracker.originalRelationships[RelationshipKey(holder, relationship.property)]
    guard former == nil else {
      // A member that was removed here stays out.
      if case .many(let base?)? = former?.value, base.contains(where: { $0 === member }) { return }
      return restoreStoredPair(member, in: holder, relationship)
    }
    guard holder._$foreignKey(relationship.property) != 0, !holder.hasMember(member, in: relationship.property) else {
      return
    }
    // Read on the next access, in the order of the store.
    tracker.withMutation(holder, relationship.property) { tracker.unloadRecordingBase(holder, relationship.property) }
  }

  /// Returns the restored members of the list of an object that was present all the time.
  func restoredMembers(_ list: ToManyReversal) throws -> [any PersistentModel] {
    let (owner, relationship, former) = (list.owner, list.relationship, list.snapshot)
    let stored = stored[RelationshipKey(owner, relationship.property)].map { Set($0) }
    let present = try core.loadMembers(of: owner, list.tracker, relationship)
    let now = Set(present.map { $0._$header.pointee.rowID })
    let members = former.members.filter { member in
      let row = member._$header.pointee.rowID
      if now.contains(row) { return true }
      // The member was hidden, and not removed.
      if let stored, former.isRestored(member) { return stored.contains(row) || !former.wasRemovedRemotely(row) }
      return former.wasRemoved(row)
    }
    // Members that other contexts added stay. A member that is deleted leaves by its deletion, which an insert can then revert.
    return members
      + present.filter { member in
        let row = member._$header.pointee.rowID
        return !former.rowsBefore.contains(row) && (!former.wasAdded(row) || former.isBeingDeleted(member))
      }
  }

  /// Merges the stored rows into a list that was loaded while an object at the other end was deleted, and so is incomplete.
  private func mergeStoredRows(_ list: ToManyReversal, _ there: _EntityTracker) {
    let (owner, tracker, relationship) = (list.owner, list.tracker, list.relationship)
    let place = RelationshipKey(owner, relationship.property)
    let now = stored[place, default: []].compactMap { objects[RowKey(there, $0)] }
    guard owner._$foreignKey(relationship.property) != 0 else {
      for member in now.filter(list.snapshot.isRestored) {
        tracker.joinEdits[place]?.removed.remove(member._$header.pointee.rowID)
      }
      return
    }
    // A list that was not changed is read on its next access.
    guard tracker.originalRelationships[place] != nil else {
      let returned = now.filter {
        list.snapshot.isRestored($0) && list.snapshot.rowsBefore.contains($0._$header.pointee.rowID)
      }
      return tracker.withMutation(owner, relationship.property) {
        tracker.unloadRecordingBase(owner, relationship, restored: returned)
      }
    }
    let present = now.filter { !$0._$header.pointee.status.contains(.deleted) }
    tracker.mergeToMany(present, stored[place], into: owner, relationship)
  }
}
