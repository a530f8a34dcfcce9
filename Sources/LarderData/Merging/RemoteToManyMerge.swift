import LarderSupport

// Merging edited to-manys, which are not reloaded. Moves of members by other contexts are visible in the foreign keys of the
// members' rows, and are applied here. For an unedited to-many, the contents that the program last read are recorded.

extension _EntityTracker {
  /// A change of a row's foreign key by another context.
  struct ForeignKeyMove {
    let relationship: RelationshipLayout
    let oldTarget: Int64
    let newTarget: Int64
  }

  /// Returns the foreign keys of an object that another context has changed.
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

  /// Merges a one-to-one for which another context and this one have set different objects; only one of them is kept.
  func mergeOneToOne(
    _ model: any PersistentModel, _ relationship: RelationshipLayout, by owner: any PersistentModel,
    _ inverse: RelationshipLayout,
    _ there: _EntityTracker
  ) {
    let row = model._$header.pointee.rowID
    let rival = owner._$foreignKey(inverse.property)
    if rival == row { return }
    // The object that references the owner may be of a superclass, or of another subclass of it.
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

  /// Applies another context's change to an edited list, whose new contents the program has not read yet.
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

  /// Returns the instance of a row, if its relationship was changed here.
  private func editedOwner(_ row: Int64, _ relationship: RelationshipLayout) -> (any PersistentModel)? {
    guard row > 0, let owner = find(row).map(erased) else { return nil }
    let header = owner._$header
    if header.pointee.status.contains(.inserted) { return owner }
    guard header.pointee.status.contains(.changed), relationship.isEdited(of: owner) else { return nil }
    return owner
  }
}
