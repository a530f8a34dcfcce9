import LarderSupport

// The list at the other end of a relationship that is set: a member leaves it, or joins it.

extension ContextCore {
  /// Takes a member out of a to-many.
  func leave(
    _ model: any PersistentModel, _ state: EntityState, _ relation: RelationLayout, _ member: any PersistentModel
  ) {
    leave(model, state, relation, [member])
  }

  /// Takes members out of a to-many.
  func leave(
    _ model: any PersistentModel, _ state: EntityState, _ relation: RelationLayout, _ members: [any PersistentModel]
  ) {
    let header = model._$header
    guard !header.pointee.status.contains(.deleted) else {
      // A deleted object keeps what it was related to, but not what leaves before it, and may lead back to it.
      guard header.pointee.status.contains(.stored) else { return }
      let leaving = members.filter { $0._$header.pointee.status.isSuperset(of: [.inserted, .deleted]) }
      if leaving.isEmpty { return }
      takeOut(leaving, of: model, relation)
      let place = RelationPlace(model, relation.property)
      if state.own(model).linkEdits[place] != nil { state.own(model).linkEdits[place]?.remove(leaving) }
      return
    }
    relationMarks.listChanges &+= 1
    unloadIfOutdated(model, relation)
    let state = state.own(model)
    state.observe(model, relation) {
      if isLoaded(model, relation) {
        takeOut(members, of: model, relation)
      } else {
        state.noteLink(model, relation, removed: members)
      }
      state.leaveShown(model, relation, members)
    }
  }

  /// Takes members out of a to-many, and does nothing else.
  func takeOut(_ members: [any PersistentModel], of model: any PersistentModel, _ relation: RelationLayout) {
    let leaving = relations.leaving
    leaving.members = members
    leaving.list = RelationPlace(model, relation.property)
    model._$change(relation.property, .leave(leaving))
    leaving.members = []
  }

  /// Puts a member at the end of a to-many.
  func join(
    _ model: any PersistentModel, _ state: EntityState, _ relation: RelationLayout, _ member: any PersistentModel
  ) {
    let header = model._$header
    guard !header.pointee.status.contains(.deleted) else { return }
    relationMarks.listChanges &+= 1
    unloadIfOutdated(model, relation)
    let state = state.own(model)
    // Two lists that were read while others committed may differ: the one has a pair that the other has not.
    if isLoaded(model, relation), mayBeAhead(), model.holds(member, in: relation.property) {
      return state.joinShown(model, relation, [member])
    }
    state.observe(model, relation) {
      if isLoaded(model, relation) {
        model._$change(relation.property, .append(member))
      } else {
        state.noteLink(model, relation, added: member)
      }
      // One that others have taken out may have been shown in it still.
      state.joinShown(model, relation, [member])
    }
  }

  /// What a list was before others committed is not what its members come and go from.
  func unloadIfOutdated(_ model: any PersistentModel, _ relation: RelationLayout) {
    guard model._$header.pointee.status.contains(.stored), model._$key(relation.property) != 0,
      isOutdated(model, relation)
    else { return }
    model._$header.pointee.state?.unloadShown(model, relation.property)
  }

  private func isLoaded(_ model: any PersistentModel, _ relation: RelationLayout) -> Bool {
    model._$key(relation.property) != 0 || !model._$header.pointee.status.contains(.stored)
  }
}
