import LarderSupport

// Updates of the list at the other end of a relationship that is set: a member leaves it, or joins it.

extension _ContextCore {
  /// Removes a member from a to-many.
  func removeMembers(
    _ model: any PersistentModel, _ tracker: _EntityTracker, _ relationship: RelationshipLayout,
    _ member: any PersistentModel
  ) {
    removeMembers(model, tracker, relationship, [member])
  }

  /// Removes members from a to-many.
  func removeMembers(
    _ model: any PersistentModel, _ tracker: _EntityTracker, _ relationship: RelationshipLayout,
    _ members: [any PersistentModel]
  ) {
    let header = model._$header
    guard !header.pointee.status.contains(.deleted) else {
      // A deleted object keeps its related objects, except inserts that leave before it, and may reference it.
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

  /// Removes members from the storage of a to-many, without updating the other ends.
  func removeFromStorage(
    _ members: [any PersistentModel], of model: any PersistentModel, _ relationship: RelationshipLayout
  ) {
    let leaving = relationships.memberRemoval
    leaving.members = members
    leaving.relationshipKey = RelationshipKey(model, relationship.property)
    model._$applyChange(relationship.property, .removeMembers(leaving))
    leaving.members = []
  }

  /// Appends a member to a to-many.
  func appendMember(
    _ model: any PersistentModel, _ tracker: _EntityTracker, _ relationship: RelationshipLayout,
    _ member: any PersistentModel
  ) {
    let header = model._$header
    guard !header.pointee.status.contains(.deleted) else { return }
    relationMarks.toManyChangeCount &+= 1
    unloadIfStale(model, relationship)
    let tracker = tracker.concreteTracker(model)
    // Two lists that were read while other contexts committed may differ: one has a pair that the other lacks.
    if isLoaded(model, relationship), hasReadAhead(), model.hasMember(member, in: relationship.property) {
      return tracker.appendToBase(model, relationship, [member])
    }
    tracker.withMutation(model, relationship) {
      if isLoaded(model, relationship) {
        model._$applyChange(relationship.property, .append(member))
      } else {
        tracker.recordJoinEdit(model, relationship, added: member)
      }
      // The base version may still contain a member that other contexts have removed.
      tracker.appendToBase(model, relationship, [member])
    }
  }

  /// Unloads a list that was loaded before other contexts committed: members are not added to or removed from that state.
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
