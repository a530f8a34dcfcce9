#if DEBUG
  import LarderSupport

  // What holds of changed relationships after each operation, checked in debug builds. Each check looks at what the operation
  // has touched, and at no more.

  extension ContextCore {
    /// Checks a to-many that was set, and what came and went by it.
    func _checkInvariants(
      _ owner: any PersistentModel, _ relation: RelationLayout, removed: [any PersistentModel],
      added: [any PersistentModel]
    ) {
      guard isHere(owner), let state = owner._$header.pointee.state else { return }
      state._checkEdit(owner, relation)
      state._checkShown(owner, relation)
      guard let inverse = relation.mirrored else { return }
      for member in added { _checkEnd(member, inverse, owner, isIn: true) }
      for member in removed { _checkEnd(member, inverse, owner, isIn: false) }
    }

    /// Checks a to-one that was set, and the list at its other end.
    func _checkInvariants(
      _ owner: any PersistentModel, _ relation: RelationLayout, leadingTo new: (any PersistentModel)?
    ) {
      guard isHere(owner), new.map(isHere) != false, let state = owner._$header.pointee.state else { return }
      state._checkEdit(owner, relation)
      guard let new, let there = new._$header.pointee.state else { return }
      let row = new._$header.pointee.rowID
      assert(owner._$key(relation.property) == row, "\(state.named(owner, relation)) leads elsewhere than it was set")
      guard let inverse = relation.mirrored else { return }
      if inverse.isToMany {
        _checkEnd(new, inverse, owner, isIn: true)
        there._checkShown(new, inverse)
      } else {
        let key = new._$key(inverse.property)
        _require(key == owner._$header.pointee.rowID, "\(there.named(new, inverse)) does not lead back")
      }
    }

    /// Checks the other end of a relationship.
    private func _checkEnd(
      _ member: any PersistentModel, _ inverse: RelationLayout, _ owner: any PersistentModel, isIn: Bool
    ) {
      guard isHere(member), let state = member._$header.pointee.state else { return }
      let row = owner._$header.pointee.rowID
      guard inverse.isToMany else {
        _require(
          (member._$key(inverse.property) == row) == isIn, "\(state.named(member, inverse)) is not what its list says")
        return state._checkEdit(member, inverse)
      }
      state._checkEdit(member, inverse)
      if member._$key(inverse.property) != 0 {
        _require(
          member.holds(owner, in: inverse.property) == isIn,
          "\(state.named(member, inverse)) differs from its other end")
      } else if let edit = state.linkEdits[RelationPlace(member, inverse.property)] {
        let isKnown = isIn ? edit.added.contains { $0 === owner } : edit.removed.contains(row)
        _require(isKnown, "\(state.named(member, inverse)) does not know of its other end")
      }
    }

    /// Checks that nothing is left of changes that a save has written, or a rollback has taken back.
    func _checkNothingIsLeft(_ states: [EntityState]) {
      for state in states where state.inserted.isEmpty && state.changed.isEmpty {
        let isEmpty =
          state.formerRelations.isEmpty && state.linkEdits.isEmpty && state.movedKeys.isEmpty
          && state.cededKeys.isEmpty
        assert(
          isEmpty && state.dirtyMask == 0, "\(state.layout.entityName) keeps changes of relationships that have ended")
      }
    }
  }

  extension EntityState {
    func named(_ model: any PersistentModel, _ relation: RelationLayout) -> String {
      "\(layout.entityName) \(model._$header.pointee.rowID).\(relation.name)"
    }

    /// Checks that a relationship which counts as changed is in the mask of changes, and that what it held before is known.
    func _checkEdit(_ model: any PersistentModel, _ relation: RelationLayout) {
      let header = model._$header
      guard header.pointee.status.contains(.stored), !header.pointee.status.contains(.deleted) else { return }
      let place = RelationPlace(model, relation.property)
      let isNoted: Bool
      switch relation.form {
      case .key: isNoted = relation.isEdited(of: model)
      case .mirror, .link: isNoted = formerRelations[place] != nil
      }
      let isMarked = header.pointee.status.contains(.changed) && header.pointee.changed & relation.bit != 0
      assert(!isNoted || isMarked, "\(named(model, relation)) was changed, and is not marked as changed")
      guard relation.isEdited(of: model) else { return }
      assert(dirtyMask & relation.bit != 0, "\(named(model, relation)) is changed, and its model is not marked")
      let index = Int(header.pointee.place)
      assert(
        changed.indices.contains(index) && changed[index] === model,
        "\(named(model, relation)) is not among the changed")
      if case .key = relation.form {
        assert(
          undo.entry(of: header.pointee.place, relation.bit) != nil, "\(named(model, relation)) has no original value")
      } else {
        assert(formerRelations[place] != nil, "\(named(model, relation)) has no original value")
      }
    }

    /// Checks that a list which holds what the program was not shown is marked so.
    func _checkShown(_ model: any PersistentModel, _ relation: RelationLayout) {
      // One that is to be read anew may have an insert in it still, beside the row that it has met.
      guard !shownLists.isEmpty, let shown = shownLists[model._$header.pointee.rowID, relation.property],
        !core.isOutdated(model, relation), let rows = model.rows(in: relation.property)
      else { return }
      core._require(Set(shown).count == shown.count, "\(named(model, relation)) was shown with one twice: \(shown)")
      core._require(Set(rows).count == rows.count, "\(named(model, relation)) has one twice: \(rows)")
    }
  }
#endif
