import LarderSupport

// The changing part of the context's functions for the accessors of relationships. Both ends are updated here, in
// `ContextCore+SettingToOne`, `ContextCore+SettingToMany` and `ContextCore+InverseMaintenance`, and nowhere else.

extension _EntityTracker {
  /// Sets a to-one.
  @usableFromInline
  package func setRelationship(_ owner: any PersistentModel, _ property: Int, to value: (any PersistentModel)?) {
    // The reference to it is counted once here, and not at each of the calls.
    let core = core
    guard let relationship = layout.relationship(property) else { return }
    core.forgetDanglingReference(of: owner, property)
    var value = value
    var told: NotifiedProperties?
    defer { told?.notifyDidSet() }
    do {
      repeat {
        // An object that other contexts related to one that is deleted here is deleted along with it. Had the to-one been set
        // before, it would be nil.
        let wasHere = core.hasRemoteChanges && relationship.isOptional && value.map(core.isPresent) == true
        let gone = try core.mergeRemoteChanges(before: owner, self, relationship, to: value.map { [$0] } ?? [])
        if let gone, gone.isOwnerDeleted || gone.targets.contains(where: core.isDeletedRemotely) { return }
        try core.propagateDeletions()
        if isDetached(owner) {
          return setDetachedRelationship(owner, .object(value), property, value.map { [$0] } ?? [])
        }
        guard allowsChange(owner, relationship) else { return }
        if wasHere, let other = value, !core.isPresent(other) { value = nil }
        // A notified observer may have deleted it.
        if let value { guard told == nil ? core.insertIfNeeded(value) : core.isPresent(value) else { return } }
      } while try !core.settingExplicitly(owner, relationship) {
        try core.setToOne(owner, self, relationship, to: value, &told)
      }
      removeAssignmentMark(of: owner, .toOneSet)
    } catch {
      core.reportChangeFailure(relationship, of: self, error)
    }
  }

  /// Sets a to-many.
  @usableFromInline
  package func setRelationship(_ owner: any PersistentModel, _ property: Int, to values: [any PersistentModel]) {
    // The reference to it is counted once here, and not at each of the calls.
    let core = core
    guard let relationship = layout.relationship(property) else { return }
    var values = values
    var told: NotifiedProperties?
    defer { told?.notifyDidSet() }
    // The base of the difference, whatever the list becomes before it is set.
    let (shown, row) = (baseRows(of: owner, relationship), owner._$header.pointee.rowID)
    do {
      repeat {
        let gone = try core.mergeRemoteChanges(before: owner, self, relationship, to: values)
        if gone?.isOwnerDeleted == true {
          // New objects stay, without an owner, as if they had been added before the other context's save.
          return core.nullifyRemovedMembers(shown ?? [], core.insertAllIfNeeded(values), from: row, relationship)
        }
        if let others = gone?.targets, !others.isEmpty {
          let leaving = Set(others.map { ObjectIdentifier($0) })
          values.removeAll { leaving.contains(ObjectIdentifier($0)) }
        }
        try core.propagateDeletions()
        if isDetached(owner) {
          return setDetachedRelationship(owner, .objects(values, generation: 0), property, values)
        }
        guard allowsChange(owner, relationship) else { return }
        // A notified observer may have deleted some.
        values = told == nil ? core.insertAllIfNeeded(values) : values.filter(core.isPresent)
        owner._$header.pointee.status.insert(.toManySet)
      } while try !core.setToMany(owner, self, relationship, to: values, from: shown, isUserChange: true, &told)
      removeAssignmentMark(of: owner, .toManySet)
    } catch {
      core.reportChangeFailure(relationship, of: self, error)
    }
  }

  /// Removes the mark of an explicitly set relationship from an object that the assignment did not change.
  func removeAssignmentMark(of owner: any PersistentModel, _ mark: ModelStatus) {
    let status = owner._$header.pointee.status
    if status.contains(.stored), !status.contains(.changed) { owner._$header.pointee.status.remove(mark) }
  }

  /// Updates the other end when an object is added to a to-many in memory. The caller changes the list itself.
  ///
  /// - Returns: `false` if that is not enough. Nothing was done then that setting the whole list would not do.
  @usableFromInline
  package func addMember(_ member: any PersistentModel, to owner: any PersistentModel, _ property: Int) -> Bool {
    guard let relationship = layout.relationship(property), canChangeDirectly(owner, member, relationship) else {
      return false
    }
    return core.addMember(member, to: owner, self, relationship)
  }

  /// Updates the other end when an object is removed from a to-many in memory. The caller changes the list itself.
  ///
  /// - Returns: `false` if that is not enough; then nothing was done.
  @usableFromInline
  package func removeMember(_ member: any PersistentModel, from owner: any PersistentModel, _ property: Int) -> Bool {
    guard let relationship = layout.relationship(property), canChangeDirectly(owner, member, relationship) else {
      return false
    }
    return core.removeMember(member, from: owner, self, relationship)
  }

  /// Returns whether the two objects have no observers, which may do anything to the list meanwhile, and no commits of other
  /// contexts are waiting.
  private func canChangeDirectly(
    _ owner: any PersistentModel, _ member: any PersistentModel, _ relationship: RelationshipLayout
  ) -> Bool {
    !core.isOrphaned && !core.relationMarks.hasPendingPropagation && !core.needsMerge(before: owner, relationship)
      && !owner._$header.pointee.status.contains(.deleted)
      && owner._$header.pointee.registrar == nil && member._$header.pointee.registrar == nil
  }

  /// Returns whether an object that was never saved left the context with a deletion that was just propagated to it.
  func isDetached(_ owner: any PersistentModel) -> Bool { owner._$header.pointee.tracker == nil }

  /// Changes an object that has left the context. If it is related to objects of the context, it is inserted anew.
  private func setDetachedRelationship(
    _ owner: any PersistentModel, _ change: _RelationshipChange, _ property: Int, _ others: [any PersistentModel]
  ) {
    owner._$applyChange(property, change)
    let isRelated = others.contains { other in
      other._$header.pointee.tracker?.core === core && !other._$header.pointee.status.contains(.deleted)
    }
    if isRelated { core.reinsert(owner) }
  }

  private func allowsChange(_ owner: any PersistentModel, _ relationship: RelationshipLayout) -> Bool {
    guard owner._$header.pointee.status.contains(.deleted) else { return true }
    Log.warning(
      "\(layout.entityName) \(owner._$header.pointee.rowID) is deleted: the change of \(relationship.name) is dropped.")
    return false
  }
}

extension _ContextCore {
  /// Discards a change of a list along with the owner, which another context deleted. Members that were assigned to the owner
  /// here, and that the change removes, do not reference the owner any more.
  ///
  /// - Parameter gone: The row ID of the owner.
  func nullifyRemovedMembers(
    _ shown: [Int64], _ values: [any PersistentModel], from gone: Int64, _ relationship: RelationshipLayout
  ) {
    guard let key = relationship.inverse, !key.isToMany, key.isOptional,
      let there = existingTracker(for: relationship.destinationLayout)
    else { return }
    let kept = Set(values.rowIDs)
    for row in shown where !kept.contains(row) {
      guard let member = there.find(row).map(there.erased), isPresent(member),
        member._$foreignKey(key.property) == gone,
        key.isEdited(of: member)
      else { continue }
      setForeignKey(member, there, key, 0)
    }
  }

  /// Makes the next save throw the error, since setting a relationship cannot throw.
  func reportChangeFailure(_ relationship: RelationshipLayout, of tracker: _EntityTracker, _ error: any Error) {
    Log.warning("\(tracker.layout.entityName).\(relationship.name) could not be changed. \(error)")
    if pendingError == nil { pendingError = error }
  }

  private static let linearSearchLimit = 16

  /// Returns whether another context has deleted an object, which leaves lists without further calls.
  @inline(__always)
  func isDeletedRemotely(_ model: any PersistentModel) -> Bool {
    model._$header.pointee.status.contains(.deletedRemotely)
  }

  /// Returns the objects that are in this context, each once: objects without a context are inserted, others are omitted.
  func insertAllIfNeeded(_ models: [any PersistentModel]) -> [any PersistentModel] {
    if models.count <= _ContextCore.linearSearchLimit {
      // Searching a few objects takes less time than building a set.
      var result: [any PersistentModel] = []
      result.reserveCapacity(models.count)
      for model in models
      where !isDeletedRemotely(model) && !result.contains(where: { $0 === model }) && insertIfNeeded(model) {
        result.append(model)
      }
      return result
    }
    var seen: Set<ObjectIdentifier> = []
    seen.reserveCapacity(models.count)
    return models.filter { !isDeletedRemotely($0) && seen.insert(ObjectIdentifier($0)).inserted && insertIfNeeded($0) }
  }
}
