#if DEBUG
  import LarderSupport

  // Invariants of changed relationships after each operation, checked in debug builds. A check examines only the objects that
  // the operation has touched.

  extension _ContextCore {
    /// Checks a to-many that was set, and its removed and added members.
    func _checkInvariants(
      _ owner: any PersistentModel, _ relationship: RelationshipLayout, removed: [any PersistentModel],
      added: [any PersistentModel]
    ) {
      guard isPresent(owner), let tracker = owner._$header.pointee.tracker else { return }
      tracker._checkChange(owner, relationship)
      tracker._checkBase(owner, relationship)
      guard let inverse = relationship.inverse else { return }
      for member in added { _checkInverse(member, inverse, owner, isMember: true) }
      for member in removed { _checkInverse(member, inverse, owner, isMember: false) }
    }

    /// Checks a to-one that was set, and the list at its other end.
    func _checkInvariants(
      _ owner: any PersistentModel, _ relationship: RelationshipLayout, referencing new: (any PersistentModel)?
    ) {
      guard isPresent(owner), new.map(isPresent) != false, let tracker = owner._$header.pointee.tracker else { return }
      tracker._checkChange(owner, relationship)
      guard let new, let there = new._$header.pointee.tracker else { return }
      let row = new._$header.pointee.rowID
      assert(
        owner._$foreignKey(relationship.property) == row,
        "\(tracker.describe(owner, relationship)) leads elsewhere than it was set")
      guard let inverse = relationship.inverse else { return }
      if inverse.isToMany {
        _checkInverse(new, inverse, owner, isMember: true)
        there._checkBase(new, inverse)
      } else {
        let key = new._$foreignKey(inverse.property)
        _require(key == owner._$header.pointee.rowID, "\(there.describe(new, inverse)) does not lead back")
      }
    }

    /// Checks the other end of a relationship.
    private func _checkInverse(
      _ member: any PersistentModel, _ inverse: RelationshipLayout, _ owner: any PersistentModel, isMember isIn: Bool
    ) {
      guard isPresent(member), let tracker = member._$header.pointee.tracker else { return }
      let row = owner._$header.pointee.rowID
      guard inverse.isToMany else {
        _require(
          (member._$foreignKey(inverse.property) == row) == isIn,
          "\(tracker.describe(member, inverse)) is not what its list says")
        return tracker._checkChange(member, inverse)
      }
      tracker._checkChange(member, inverse)
      if member._$foreignKey(inverse.property) != 0 {
        _require(
          member.hasMember(owner, in: inverse.property) == isIn,
          "\(tracker.describe(member, inverse)) differs from its other end")
      } else if let edit = tracker.joinEdits[RelationshipKey(member, inverse.property)] {
        let isKnown = isIn ? edit.added.contains { $0 === owner } : edit.removed.contains(row)
        _require(isKnown, "\(tracker.describe(member, inverse)) does not know of its other end")
      }
    }

    /// Checks that no changes remain after a save has written them, or a rollback has reverted them.
    func _checkNoChangesRemain(in trackers: [_EntityTracker]) {
      for tracker in trackers where tracker.inserted.isEmpty && tracker.changed.isEmpty {
        let isEmpty =
          tracker.originalRelationships.isEmpty && tracker.joinEdits.isEmpty && tracker.changedSharedKeys.isEmpty
          && tracker.implicitlySetKeys.isEmpty
        assert(
          isEmpty && tracker.dirtyMask == 0,
          "\(tracker.layout.entityName) keeps changes of relationships that have ended")
      }
    }
  }

  extension _EntityTracker {
    func describe(_ model: any PersistentModel, _ relationship: RelationshipLayout) -> String {
      "\(layout.entityName) \(model._$header.pointee.rowID).\(relationship.name)"
    }

    /// Checks that a relationship with a recorded change is in the mask of changes, and that its original value is known.
    func _checkChange(_ model: any PersistentModel, _ relationship: RelationshipLayout) {
      let header = model._$header
      guard header.pointee.status.contains(.stored), !header.pointee.status.contains(.deleted) else { return }
      let place = RelationshipKey(model, relationship.property)
      let isNoted: Bool
      switch relationship.storage {
      case .foreignKey: isNoted = relationship.isEdited(of: model)
      case .inverse, .joinTable: isNoted = originalRelationships[place] != nil
      }
      let isMarked = header.pointee.status.contains(.changed) && header.pointee.changedMask & relationship.bit != 0
      assert(!isNoted || isMarked, "\(describe(model, relationship)) was changed, and is not marked as changed")
      guard relationship.isEdited(of: model) else { return }
      assert(
        dirtyMask & relationship.bit != 0, "\(describe(model, relationship)) is changed, and its model is not marked")
      let index = Int(header.pointee.changedIndex)
      assert(
        changed.indices.contains(index) && changed[index] === model,
        "\(describe(model, relationship)) is not among the changed")
      if case .foreignKey = relationship.storage {
        assert(
          originalValues.entry(of: header.pointee.changedIndex, relationship.bit) != nil,
          "\(describe(model, relationship)) has no original value")
      } else {
        assert(originalRelationships[place] != nil, "\(describe(model, relationship)) has no original value")
      }
    }

    /// Checks that neither a list nor its base version contains a member twice.
    func _checkBase(_ model: any PersistentModel, _ relationship: RelationshipLayout) {
      // A list that is to be read anew may still contain an insert next to the row to which it was resolved.
      guard !lastReadLists.isEmpty, let shown = lastReadLists[model._$header.pointee.rowID, relationship.property],
        !core.isStale(model, relationship), let rows = model.memberRowIDs(of: relationship.property)
      else { return }
      core._require(
        Set(shown).count == shown.count, "\(describe(model, relationship)) was shown with one twice: \(shown)")
      core._require(Set(rows).count == rows.count, "\(describe(model, relationship)) has one twice: \(rows)")
    }
  }
#endif
