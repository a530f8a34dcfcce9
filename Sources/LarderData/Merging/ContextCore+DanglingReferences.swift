import LarderSupport

// To-ones that were changed here and reference rows that other contexts have deleted. An edit that was made at the end of the
// deleted object is dropped with it, and so is an edit that yields to the store: the to-one references the stored row again.
// If the program set the to-one itself, the save throws.

/// A to-one whose foreign key is in the row that it was set to, and which another context has deleted.
struct DanglingReference {
  /// The owner, which the context holds as long as it has pending changes.
  weak var owner: (any PersistentModel)?
  let relationship: RelationshipLayout
  let target: Int64
}

extension _ContextCore {
  /// Resolves a to-one that references an object which another context has deleted.
  ///
  /// - Parameters:
  ///   - wasLedBack: Whether the program has set the other end, in the deleted object.
  ///   - stored: The row to which the store relates the owner; `nil` if the edit's original value is that row.
  func resolveDanglingReference(
    of owner: any PersistentModel, _ tracker: _EntityTracker, _ relationship: RelationshipLayout,
    wasInverseSet wasLedBack: Bool,
    stored: Int64? = nil
  ) {
    let status = owner._$header.pointee.status
    let isEdited = !status.contains(.deleted) && relationship.isEdited(of: owner)
    let isLed = isEdited && tracker.concreteTracker(owner).isSetExplicitly(owner, relationship)
    let storeWins = mergePolicy == .mergeByPropertyStoreTrump
    guard case .foreignKey = relationship.storage else {
      let former = owner._$foreignKey(relationship.property)
      tracker.withMutation(owner, relationship.property) { owner._$applyChange(relationship.property, .foreignKey(0)) }
      if isLed, !wasLedBack, !storeWins {
        relationships.danglingReferences[RelationshipKey(owner, relationship.property)] =
          DanglingReference(owner: owner, relationship: relationship, target: former)
      } else if isEdited {
        tracker.restorePartner(of: owner, relationship, stored ?? 0)
        if !tracker.concreteTracker(owner).isSetExplicitly(owner, relationship) {
          tracker.concreteTracker(owner).revertToStore(owner, relationship)
        }
      }
      return
    }
    guard isEdited, relationship.inverse != nil && !isLed || storeWins else { return }
    if !tracker.restoreStoredReference(owner, relationship, stored), relationship.isOptional {
      setForeignKey(owner, tracker, relationship, 0)
    }
    tracker.concreteTracker(owner).dropNoOpEdit(of: owner, relationship, stored)
  }

  /// Returns the rows with a stored foreign key to the owners of a to-one, as pairs of an owner's row and such a row.
  func storedReferrers(of owners: [Int64], _ relationship: RelationshipLayout) throws -> [(row: Int64, target: Int64)] {
    let there = try tracker(for: relationship.destinationLayout)
    guard case .inverse(let property) = relationship.storage, let key = there.layout.relationship(property) else {
      return []
    }
    return try there.storedReferences(key, to: owners).map { (row: $0.target, target: $0.row) }
  }

  /// Throws if to-ones that reference deleted rows of another context's commit have not been set since.
  func checkDanglingReferences() throws {
    if relationships.danglingReferences.isEmpty { return }
    let left = relationships.danglingReferences.values.compactMap { lead in
      lead.owner.map { (owner: $0, relationship: lead.relationship, former: lead.target) }
    }
    let lost = left.filter { isPresent($0.owner) && $0.owner._$foreignKey($0.relationship.property) == 0 }
    if mergePolicy == .mergeByPropertyStoreTrump {
      for lead in lost {
        let partner = try storedReferrers(of: [lead.owner._$header.pointee.rowID], lead.relationship).first?.target
        lead.owner._$header.pointee.tracker?.restorePartner(of: lead.owner, lead.relationship, partner ?? 0)
      }
      return relationships.danglingReferences.removeAll()
    }
    guard let lead = lost.min(by: { $0.owner._$header.pointee.rowID < $1.owner._$header.pointee.rowID }),
      let own = lead.owner._$header.pointee.tracker
    else { return relationships.danglingReferences.removeAll() }
    let there = try tracker(for: lead.relationship.destinationLayout)
    let row = lead.owner._$header.pointee.rowID
    throw SaveError(
      .referencedRowDeleted, entityName: own.layout.entityName, properties: [lead.relationship.name],
      identifiers: [own.savedIdentifier(row), there.savedIdentifier(lead.former)],
      "\(own.layout.entityName) \(row) would refer by \(lead.relationship.name) to \(there.layout.entityName) "
        + "\(lead.former), which was deleted elsewhere. Let it refer to another, or roll back. Nothing was written.")
  }

  /// Removes the record of a dangling reference, because the program sets the to-one.
  @inline(__always)
  func forgetDanglingReference(of owner: any PersistentModel, _ property: Int) {
    if !relationships.danglingReferences.isEmpty {
      relationships.danglingReferences[RelationshipKey(owner, property)] = nil
    }
  }
}

extension _EntityTracker {
  /// Sets a to-one back to the stored row, at both ends.
  ///
  /// - Parameter stored: The stored foreign key; `nil` if the edit's original value is the stored one.
  /// - Returns: `false` if the key is NULL, if the row is deleted, or if the program has changed the other end itself.
  fileprivate func restoreStoredReference(
    _ owner: any PersistentModel, _ relationship: RelationshipLayout, _ stored: Int64?
  ) -> Bool {
    let row = stored ?? concreteTracker(owner).originalKey(of: owner, relationship)
    guard row > 0, let there = try? core.tracker(for: relationship.destinationLayout),
      let former = try? there.find(row).map(there.erased) ?? there.loadRows([row]).first, core.isPresent(former)
    else { return false }
    guard let inverse = relationship.inverse else {
      core.setForeignKey(owner, self, relationship, row)
      return true
    }
    let status = former._$header.pointee.status
    let isEdited = inverse.isEdited(of: former)
    if inverse.isToMany {
      if isEdited, status.contains(.toManySet) { return false }
      core.setForeignKey(owner, self, relationship, row)
      core.appendMember(former, there, inverse, owner)
    } else {
      if isEdited,
        there.concreteTracker(former).isSetExplicitly(former, inverse) || former._$foreignKey(inverse.property) > 0
      {
        return false
      }
      core.setForeignKey(owner, self, relationship, row)
      core.setForeignKey(former, there, inverse, owner._$header.pointee.rowID)
      there.concreteTracker(former).dropNoOpEdit(of: former, inverse)
    }
    return true
  }

  /// Drops an edit of a to-one whose value equals the stored one: the edit would overwrite later saves of other contexts.
  fileprivate func dropNoOpEdit(
    of model: any PersistentModel, _ relationship: RelationshipLayout, _ stored: Int64? = nil
  ) {
    let status = model._$header.pointee.status
    guard status.contains(.stored), !isSetExplicitly(model, relationship), relationship.isEdited(of: model) else {
      return
    }
    if case .foreignKey = relationship.storage,
      model._$foreignKey(relationship.property) != stored ?? storedKey(of: model, relationship)
    {
      return
    }
    dropEdit(of: model, relationship)
  }

  private func dropEdit(of model: any PersistentModel, _ relationship: RelationshipLayout) {
    guard _ModelLayout.sharesBit(relationship.property) else {
      dropEdits(of: model, among: relationship.bit)
      // An object without remaining edits is refreshed from its row.
      if !model._$header.pointee.status.contains(.edited), root.staleRows.contains(model._$header.pointee.rowID) {
        core.scheduleStaleRefresh()
      }
      return
    }
    let place = RelationshipKey(model, relationship.property)
    originalRelationships[place] = nil
    changedSharedKeys.remove(place)
    implicitlySetKeys[place] = nil
  }

  /// Drops the edit of a to-one that a deleted object had changed, and whose foreign key is in the other row: it is loaded anew.
  fileprivate func revertToStore(_ owner: any PersistentModel, _ relationship: RelationshipLayout) {
    guard owner._$header.pointee.status.contains(.stored) else { return }
    dropEdit(of: owner, relationship)
    withMutation(owner, relationship.property) {
      owner._$applyChange(relationship.property, .foreignKey(_ToOneKey.notLoaded))
    }
  }

  /// Restores the partner of a to-one whose foreign key is in the other row.
  ///
  /// - Parameter row: The row with the stored foreign key to the owner, whose object was replaced by the deleted one.
  fileprivate func restorePartner(of owner: any PersistentModel, _ relationship: RelationshipLayout, _ row: Int64) {
    guard row > 0, let key = relationship.inverse,
      let there = core.existingTracker(for: relationship.destinationLayout),
      let partner = there.find(row).map(there.erased), core.isPresent(partner), key.isEdited(of: partner),
      partner._$foreignKey(key.property) == 0, !there.concreteTracker(partner).isSetExplicitly(partner, key)
    else { return }
    core.setForeignKey(partner, there, key, owner._$header.pointee.rowID)
    core.setForeignKey(owner, self, relationship, row)
    there.concreteTracker(partner).dropNoOpEdit(of: partner, key, owner._$header.pointee.rowID)
  }

  /// Returns the stored foreign key of an edited to-one; 0 for NULL.
  private func storedKey(of model: any PersistentModel, _ relationship: RelationshipLayout) -> Int64 {
    let row = model._$header.pointee.rowID
    // Under `overwrite`, saves of other contexts do not update an edited object's original value.
    if core.mergePolicy == .overwrite, let stored = try? storedForeignKeys(of: [row], relationship) {
      return stored.first?.target ?? 0
    }
    return originalKey(of: model, relationship)
  }

  /// Returns the original value of an edited to-one that has a column of its own; 0 for none.
  func originalKey(of model: any PersistentModel, _ relationship: RelationshipLayout) -> Int64 {
    let header = model._$header
    guard header.pointee.status.isSuperset(of: [.stored, .changed]),
      let entry = originalValues.entry(of: header.pointee.changedIndex, relationship.bit),
      let place = layout.columns(in: relationship.bit).firstIndex(where: { $0.property == relationship.property }),
      case let values = originalValues.values(of: entry), place < values.count, case .integer(let row) = values[place]
    else { return 0 }
    return row
  }
}
