import LarderSupport

// A to-many that was changed here is not read anew. What others move into it and out of it is seen in the rows that have
// the key, and follows here. Of one that was not, what the program was shown is noted.

extension EntityState {
  /// A row's key leads elsewhere by now.
  struct Move {
    let relation: RelationLayout
    let former: Int64
    let new: Int64
  }

  /// Which of an object's keys somebody else has changed.
  func moves<Model: PersistentModel>(of model: Model, to stored: Model) -> [Move] {
    guard layout.hasRelations else { return [] }
    return layout.relations.compactMap { relation in
      guard case .key = relation.form, relation.mirrored != nil, !relation.isEdited(of: model) else { return nil }
      let former = ToOneKey.shown(model._$key(relation.property))
      let new = stored._$key(relation.property)
      return former == new ? nil : Move(relation: relation, former: former, new: new)
    }
  }

  func follow(_ move: Move, of model: any PersistentModel) {
    guard let inverse = move.relation.mirrored, let there = core.existingState(for: move.relation.destinationLayout)
    else { return }
    if let owner = there.editedOwner(move.former, inverse) {
      if !inverse.isToMany {
        if owner._$key(inverse.property) == model._$header.pointee.rowID {
          there.observe(owner, inverse.property) { owner._$change(inverse.property, .key(0)) }
        }
      } else if owner.holds(model, in: inverse.property) {
        there.change(owner, inverse) { owner._$change(inverse.property, .remove(model)) }
      }
    } else if inverse.isToMany, move.former > 0, let owner = there.find(move.former).map(there.erased) {
      there.own(owner).noteShownBeforeMove(owner, inverse.property)
    }
    if let owner = there.editedOwner(move.new, inverse) {
      if !inverse.isToMany {
        take(model, move.relation, by: owner, inverse, there)
      } else if case .many(_?) = owner._$relation(inverse.property), !owner.holds(model, in: inverse.property) {
        there.change(owner, inverse) { owner._$change(inverse.property, .append(model)) }
      }
    }
  }

  /// Somebody else has related an object to one that was given another here: there can be one.
  func take(
    _ model: any PersistentModel, _ relation: RelationLayout, by owner: any PersistentModel, _ inverse: RelationLayout,
    _ there: EntityState
  ) {
    let row = model._$header.pointee.rowID
    let rival = owner._$key(inverse.property)
    if rival == row { return }
    // The one that leads to it may be of a superclass, or of another class below that.
    let declaring = declaring(relation.property)
    if rival > 0, let holder = declaring.find(rival).map(declaring.erased),
      holder._$key(relation.property) == owner._$header.pointee.rowID
    {
      guard core.mergePolicy == .mergeByPropertyStoreTrump else {
        return own(model).observe(model, relation) { model._$change(relation.property, .key(0)) }
      }
      own(holder).observe(holder, relation) { holder._$change(relation.property, .key(0)) }
    }
    there.observe(owner, inverse.property) { owner._$change(inverse.property, .key(row)) }
  }

  /// Has a list that was changed here follow what others have made of it, which the program has not been shown.
  private func change(_ owner: any PersistentModel, _ relation: RelationLayout, _ change: () -> Void) {
    let own = own(owner)
    own.noteShown(owner, relation.property)
    observe(owner, relation.property) {
      change()
      let mark = own.mark(owner, relation.property, holding: owner.rows(in: relation.property) ?? [])
      owner._$change(relation.property, .current(generation: mark))
    }
  }

  /// The instance of a row, if its relationship was changed here.
  private func editedOwner(_ row: Int64, _ relation: RelationLayout) -> (any PersistentModel)? {
    guard row > 0, let owner = find(row).map(erased) else { return nil }
    let header = owner._$header
    if header.pointee.status.contains(.inserted) { return owner }
    guard header.pointee.status.contains(.changed), relation.isEdited(of: owner) else { return nil }
    return owner
  }
}
