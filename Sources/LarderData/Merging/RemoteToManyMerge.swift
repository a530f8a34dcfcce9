import LarderSupport

// A to-many that was changed here is not read anew. What others move into it and out of it is seen in the rows that have
// the key, and follows here. Of one that was not, what the program was shown is noted.

extension _EntityTracker {
  /// A row's key leads elsewhere by now.
  struct ForeignKeyMove {
    let relationship: RelationshipLayout
    let oldTarget: Int64
    let newTarget: Int64
  }

  /// Which of an object's keys somebody else has changed.
  func foreignKeyMoves<Model: PersistentModel>(of model: Model, to stored: Model) -> [ForeignKeyMove] {
    guard layout.hasRelations else { return [] }
    return layout.relationships.compactMap { relationship in
      guard case .foreignKey = relationship.storage, relationship.inverse != nil, !relationship.isEdited(of: model)
      else { return nil }
      let former = _ToOneKey.targetRow(of: model._$foreignKey(relationship.property))
      let new = stored._$foreignKey(relationship.property)
      return former == new ? nil : ForeignKeyMove(relationship: relationship, oldTarget: former, newTarget: new)
    }
  }

  func applyMove(_ move: ForeignKeyMove, of model: any PersistentModel) {
    guard let inverse = move.relationship.inverse,
      let there = core.existingTracker(for: move.relationship.destinationLayout)
    else { return }
    if let owner = there.editedOwner(move.oldTarget, inverse) {
      if !inverse.isToMany {
        if owner._$foreignKey(inverse.property) == model._$header.pointee.rowID {
          there.withMutation(owner, inverse.property) { owner._$applyChange(inverse.property, .foreignKey(0)) }
        }
      } else if owner.hasMember(model, in: inverse.property) {
        there.updateEditedList(owner, inverse) { owner._$applyChange(inverse.property, .remove(model)) }
      }
    } else if inverse.isToMany, move.oldTarget > 0, let owner = there.find(move.oldTarget).map(there.erased) {
      there.concreteTracker(owner).recordBaseBeforeReload(owner, inverse.property)
    }
    if let owner = there.editedOwner(move.newTarget, inverse) {
      if !inverse.isToMany {
        mergeOneToOne(model, move.relationship, by: owner, inverse, there)
      } else if case .many(_?) = owner._$relationshipValue(inverse.property),
        !owner.hasMember(model, in: inverse.property)
      {
        there.updateEditedList(owner, inverse) { owner._$applyChange(inverse.property, .append(model)) }
      }
    }
  }

  /// Somebody else has related an object to one that was given another here: there can be one.
  func mergeOneToOne(
    _ model: any PersistentModel, _ relationship: RelationshipLayout, by owner: any PersistentModel,
    _ inverse: RelationshipLayout,
    _ there: _EntityTracker
  ) {
    let row = model._$header.pointee.rowID
    let rival = owner._$foreignKey(inverse.property)
    if rival == row { return }
    // The one that leads to it may be of a superclass, or of another class below that.
    let declaring = declaringTracker(relationship.property)
    if rival > 0, let holder = declaring.find(rival).map(declaring.erased),
      holder._$foreignKey(relationship.property) == owner._$header.pointee.rowID
    {
      guard core.mergePolicy == .mergeByPropertyStoreTrump else {
        return concreteTracker(model).withMutation(model, relationship) {
          model._$applyChange(relationship.property, .foreignKey(0))
        }
      }
      concreteTracker(holder).withMutation(holder, relationship) {
        holder._$applyChange(relationship.property, .foreignKey(0))
      }
    }
    there.withMutation(owner, inverse.property) { owner._$applyChange(inverse.property, .foreignKey(row)) }
  }

  /// Has a list that was changed here follow what others have made of it, which the program has not been shown.
  private func updateEditedList(_ owner: any PersistentModel, _ relationship: RelationshipLayout, _ change: () -> Void)
  {
    let own = concreteTracker(owner)
    own.recordBase(owner, relationship.property)
    withMutation(owner, relationship.property) {
      change()
      let mark = own.stamp(owner, relationship.property, members: owner.memberRowIDs(of: relationship.property) ?? [])
      owner._$applyChange(relationship.property, .current(generation: mark))
    }
  }

  /// The instance of a row, if its relationship was changed here.
  private func editedOwner(_ row: Int64, _ relationship: RelationshipLayout) -> (any PersistentModel)? {
    guard row > 0, let owner = find(row).map(erased) else { return nil }
    let header = owner._$header
    if header.pointee.status.contains(.inserted) { return owner }
    guard header.pointee.status.contains(.changed), relationship.isEdited(of: owner) else { return nil }
    return owner
  }
}
