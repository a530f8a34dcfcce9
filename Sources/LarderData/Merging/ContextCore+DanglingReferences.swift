import LarderSupport

// To-ones that were changed here, and lead to what others have deleted. Where the change was made at the end that goes, it goes
// with that, and so does one that gives way to the store: the to-one leads to what is stored again. One that was set itself is
// refused by the save.

/// A to-one whose key is in the row that it was led to, and which others have deleted.
struct DanglingReference {
  /// Held by the context, as long as something of it is pending.
  weak var owner: (any PersistentModel)?
  let relationship: RelationshipLayout
  let target: Int64
}

extension _ContextCore {
  /// Decides what becomes of a to-one that leads to an object which others have deleted.
  ///
  /// - Parameters:
  ///   - wasLedBack: Whether the program has set the other end, of the object that goes.
  ///   - stored: The row to which the store relates the owner; nil where the edit's original value is that row.
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

  /// The rows with a stored foreign key to the owners of a to-one, as pairs of an owner's row and such a row.
  func storedReferrers(of owners: [Int64], _ relationship: RelationshipLayout) throws -> [(row: Int64, target: Int64)] {
    let there = try tracker(for: relationship.destinationLayout)
    guard case .inverse(let property) = relationship.storage, let key = there.layout.relationship(property) else {
      return []
    }
    return try there.storedReferences(key, to: owners).map { (row: $0.target, target: $0.row) }
  }

  /// Refuses to save to-ones that were led to what others have deleted, and have not been set since.
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

  /// The program sets a to-one.
  @inline(__always)
  func forgetDanglingReference(of owner: any PersistentModel, _ property: Int) {
    if !relationships.danglingReferences.isEmpty {
      relationships.danglingReferences[RelationshipKey(owner, property)] = nil
    }
  }
}

extension _EntityTracker {
  /// Has a to-one lead to what is stored again, at both ends.
  ///
  /// - Parameter stored: The stored foreign key; nil where the edit's original value is the stored one.
  /// - Returns: False where that leads nowhere, has gone, or has been changed by the program itself.
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

  /// Forgets an edit of a to-one whose value equals the stored one: the edit would overwrite what other contexts save next.
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
      // An object that has no edit left follows its row.
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

  /// Drops the edit of a to-one whose foreign key is in the other row and which a vanished object had changed: it is loaded anew.
  fileprivate func revertToStore(_ owner: any PersistentModel, _ relationship: RelationshipLayout) {
    guard owner._$header.pointee.status.contains(.stored) else { return }
    dropEdit(of: owner, relationship)
    withMutation(owner, relationship.property) {
      owner._$applyChange(relationship.property, .foreignKey(_ToOneKey.notLoaded))
    }
  }

  /// The same of a to-one of which the other end has the key.
  ///
  /// - Parameter row: The row with the stored foreign key to the owner, whose object gave way to the vanished one.
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

  /// The stored foreign key of an edited to-one; 0 for NULL.
  private func storedKey(of model: any PersistentModel, _ relationship: RelationshipLayout) -> Int64 {
    let row = model._$header.pointee.rowID
    // Under `overwrite` an edited object's original value is not updated by other contexts' saves.
    if core.mergePolicy == .overwrite, let stored = try? storedForeignKeys(of: [row], relationship) {
      return stored.first?.target ?? 0
    }
    return originalKey(of: model, relationship)
  }

  /// The row that a to-one with a column of its own led to before its first change; 0 for none.
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
