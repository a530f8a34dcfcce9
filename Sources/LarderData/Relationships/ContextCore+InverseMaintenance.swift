import LarderSupport

// The list at the other end of a relationship that is set: a member leaves it, or joins it.

extension _ContextCore {
  /// Takes a member out of a to-many.
  func removeMembers(
    _ model: any PersistentModel, _ tracker: _EntityTracker, _ relationship: RelationshipLayout,
    _ member: any PersistentModel
  ) {
    removeMembers(model, tracker, relationship, [member])
  }

  /// Takes members out of a to-many.
  func removeMembers(
    _ model: any PersistentModel, _ tracker: _EntityTracker, _ relationship: RelationshipLayout,
    _ members: [any PersistentModel]
  ) {
    let header = model._$header
    guard !header.pointee.status.contains(.deleted) else {
      // A deleted object keeps what it was related to, but not what leaves before it, and may lead back to it.
      guard header.pointee.status.contains(.stored) else { return }
      let leaving = members.filter { $0._$header.pointee.status.isSuperset(of: [.inserted, .deleted]) }
      if leaving.isEmpty { return }
      removeFromStorage(leaving, of: model, relationship)
      let place = RelationshipKey(model, relationship.property)
      if tracker.concreteTracker(model).joinEdits[place] != nil {
        tracker.concreteTracker(model).joinEdits[place]?.removeAdded(leaving)
      }
      return
    }
    relationMarks.toManyChangeCount &+= 1
    unloadIfStale(model, relationship)
    let tracker = tracker.concreteTracker(model)
    tracker.withMutation(model, relationship) {
      if isLoaded(model, relationship) {
        removeFromStorage(members, of: model, relationship)
      } else {
        tracker.recordJoinEdit(model, relationship, removed: members)
      }
      tracker.removeFromBase(model, relationship, members)
    }
  }

  /// Takes members out of a to-many, and does nothing else.
  func removeFromStorage(
    _ members: [any PersistentModel], of model: any PersistentModel, _ relationship: RelationshipLayout
  ) {
    let leaving = relationships.memberRemoval
    leaving.members = members
    leaving.relationshipKey = RelationshipKey(model, relationship.property)
    model._$applyChange(relationship.property, .removeMembers(leaving))
    leaving.members = []
  }

  /// Puts a member at the end of a to-many.
  func appendMember(
    _ model: any PersistentModel, _ tracker: _EntityTracker, _ relationship: RelationshipLayout,
    _ member: any PersistentModel
  ) {
    let header = model._$header
    guard !header.pointee.status.contains(.deleted) else { return }
    relationMarks.toManyChangeCount &+= 1
    unloadIfStale(model, relationship)
    let tracker = tracker.concreteTracker(model)
    // Two lists that were read while others committed may differ: the one has a pair that the other has not.
    if isLoaded(model, relationship), hasReadAhead(), model.hasMember(member, in: relationship.property) {
      return tracker.appendToBase(model, relationship, [member])
    }
    tracker.withMutation(model, relationship) {
      if isLoaded(model, relationship) {
        model._$applyChange(relationship.property, .append(member))
      } else {
        tracker.recordJoinEdit(model, relationship, added: member)
      }
      // One that others have taken out may have been shown in it still.
      tracker.appendToBase(model, relationship, [member])
    }
  }

  /// What a list was before others committed is not what its members come and go from.
  func unloadIfStale(_ model: any PersistentModel, _ relationship: RelationshipLayout) {
    guard model._$header.pointee.status.contains(.stored), model._$foreignKey(relationship.property) != 0,
      isStale(model, relationship)
    else { return }
    model._$header.pointee.tracker?.unloadRecordingBase(model, relationship.property)
  }

  private func isLoaded(_ model: any PersistentModel, _ relationship: RelationshipLayout) -> Bool {
    model._$foreignKey(relationship.property) != 0 || !model._$header.pointee.status.contains(.stored)
  }
}
