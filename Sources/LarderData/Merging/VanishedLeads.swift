import LarderSupport

// To-ones that were changed here, and lead to what others have deleted. Where the change was made at the end that goes, it goes
// with that, and so does one that gives way to the store: the to-one leads to what is stored again. One that was set itself is
// refused by the save.

/// A to-one whose key is in the row that it was led to, and which others have deleted.
struct LostLead {
  /// Held by the context, as long as something of it is pending.
  weak var owner: (any PersistentModel)?
  let relation: RelationLayout
  let former: Int64
}

extension ContextCore {
  /// Decides what becomes of a to-one that leads to an object which others have deleted.
  ///
  /// - Parameters:
  ///   - wasLedBack: Whether the program has set the other end, of the object that goes.
  ///   - stored: The row to which the store relates the owner; nil where the edit's original value is that row.
  func takeBackLead(
    of owner: any PersistentModel, _ state: EntityState, _ relation: RelationLayout, wasLedBack: Bool,
    stored: Int64? = nil
  ) {
    let status = owner._$header.pointee.status
    let isEdited = !status.contains(.deleted) && relation.isEdited(of: owner)
    let isLed = isEdited && state.own(owner).isLed(owner, relation)
    let storeWins = mergePolicy == .mergeByPropertyStoreTrump
    guard case .key = relation.form else {
      let former = owner._$key(relation.property)
      state.observe(owner, relation.property) { owner._$change(relation.property, .key(0)) }
      if isLed, !wasLedBack, !storeWins {
        relations.lostLeads[RelationPlace(owner, relation.property)] =
          LostLead(owner: owner, relation: relation, former: former)
      } else if isEdited {
        state.leadBackPartner(of: owner, relation, stored ?? 0)
        if !state.own(owner).isLed(owner, relation) { state.own(owner).followStore(owner, relation) }
      }
      return
    }
    guard isEdited, relation.mirrored != nil && !isLed || storeWins else { return }
    if !state.leadBackToFormer(owner, relation, stored), relation.isOptional { setKey(owner, state, relation, 0) }
    state.own(owner).forgetIdleEdit(of: owner, relation, stored)
  }

  /// The rows with a stored foreign key to the owners of a to-one, as pairs of an owner's row and such a row.
  func storedPartners(of owners: [Int64], _ relation: RelationLayout) throws -> [(row: Int64, target: Int64)] {
    let there = try state(for: relation.destinationLayout)
    guard case .mirror(let property) = relation.form, let key = there.layout.relation(property) else { return [] }
    return try there.storedReferences(key, to: owners).map { (row: $0.target, target: $0.row) }
  }

  /// Refuses to save to-ones that were led to what others have deleted, and have not been set since.
  func refuseLostLeads() throws {
    if relations.lostLeads.isEmpty { return }
    let left = relations.lostLeads.values.compactMap { lead in
      lead.owner.map { (owner: $0, relation: lead.relation, former: lead.former) }
    }
    let lost = left.filter { isHere($0.owner) && $0.owner._$key($0.relation.property) == 0 }
    if mergePolicy == .mergeByPropertyStoreTrump {
      for lead in lost {
        let partner = try storedPartners(of: [lead.owner._$header.pointee.rowID], lead.relation).first?.target
        lead.owner._$header.pointee.state?.leadBackPartner(of: lead.owner, lead.relation, partner ?? 0)
      }
      return relations.lostLeads.removeAll()
    }
    guard let lead = lost.min(by: { $0.owner._$header.pointee.rowID < $1.owner._$header.pointee.rowID }),
      let own = lead.owner._$header.pointee.state
    else { return relations.lostLeads.removeAll() }
    let there = try state(for: lead.relation.destinationLayout)
    let row = lead.owner._$header.pointee.rowID
    throw SaveError(
      .vanishedReference, entityName: own.layout.entityName, properties: [lead.relation.name],
      identifiers: [own.savedIdentifier(row), there.savedIdentifier(lead.former)],
      "\(own.layout.entityName) \(row) would refer by \(lead.relation.name) to \(there.layout.entityName) "
        + "\(lead.former), which was deleted elsewhere. Let it refer to another, or roll back. Nothing was written.")
  }

  /// The program sets a to-one.
  @inline(__always)
  func forgetLostLead(of owner: any PersistentModel, _ property: Int) {
    if !relations.lostLeads.isEmpty { relations.lostLeads[RelationPlace(owner, property)] = nil }
  }
}

extension EntityState {
  /// Has a to-one lead to what is stored again, at both ends.
  ///
  /// - Parameter stored: The stored foreign key; nil where the edit's original value is the stored one.
  /// - Returns: False where that leads nowhere, has gone, or has been changed by the program itself.
  fileprivate func leadBackToFormer(
    _ owner: any PersistentModel, _ relation: RelationLayout, _ stored: Int64?
  ) -> Bool {
    let row = stored ?? own(owner).formerKey(of: owner, relation)
    guard row > 0, let there = try? core.state(for: relation.destinationLayout),
      let former = try? there.find(row).map(there.erased) ?? there.loadRows([row]).first, core.isHere(former)
    else { return false }
    guard let inverse = relation.mirrored else {
      core.setKey(owner, self, relation, row)
      return true
    }
    let status = former._$header.pointee.status
    let isEdited = inverse.isEdited(of: former)
    if inverse.isToMany {
      if isEdited, status.contains(.listed) { return false }
      core.setKey(owner, self, relation, row)
      core.join(former, there, inverse, owner)
    } else {
      if isEdited, there.own(former).isLed(former, inverse) || former._$key(inverse.property) > 0 { return false }
      core.setKey(owner, self, relation, row)
      core.setKey(former, there, inverse, owner._$header.pointee.rowID)
      there.own(former).forgetIdleEdit(of: former, inverse)
    }
    return true
  }

  /// Forgets an edit of a to-one whose value equals the stored one: the edit would overwrite what other contexts save next.
  fileprivate func forgetIdleEdit(of model: any PersistentModel, _ relation: RelationLayout, _ stored: Int64? = nil) {
    let status = model._$header.pointee.status
    guard status.contains(.stored), !isLed(model, relation), relation.isEdited(of: model) else { return }
    if case .key = relation.form, model._$key(relation.property) != stored ?? storedKey(of: model, relation) { return }
    forgetEdit(of: model, relation)
  }

  private func forgetEdit(of model: any PersistentModel, _ relation: RelationLayout) {
    guard ModelLayout.sharesBit(relation.property) else {
      dropEdits(of: model, among: relation.bit)
      // An object that has no edit left follows its row.
      if !model._$header.pointee.status.contains(.edited), root.leftBehind.contains(model._$header.pointee.rowID) {
        core.editsEnded()
      }
      return
    }
    let place = RelationPlace(model, relation.property)
    formerRelations[place] = nil
    movedKeys.remove(place)
    cededKeys[place] = nil
  }

  /// Drops the edit of a to-one whose foreign key is in the other row and which a vanished object had changed: it is loaded anew.
  fileprivate func followStore(_ owner: any PersistentModel, _ relation: RelationLayout) {
    guard owner._$header.pointee.status.contains(.stored) else { return }
    forgetEdit(of: owner, relation)
    observe(owner, relation.property) { owner._$change(relation.property, .key(ToOneKey.unknown)) }
  }

  /// The same of a to-one of which the other end has the key.
  ///
  /// - Parameter row: The row with the stored foreign key to the owner, whose object gave way to the vanished one.
  fileprivate func leadBackPartner(of owner: any PersistentModel, _ relation: RelationLayout, _ row: Int64) {
    guard row > 0, let key = relation.mirrored, let there = core.existingState(for: relation.destinationLayout),
      let partner = there.find(row).map(there.erased), core.isHere(partner), key.isEdited(of: partner),
      partner._$key(key.property) == 0, !there.own(partner).isLed(partner, key)
    else { return }
    core.setKey(partner, there, key, owner._$header.pointee.rowID)
    core.setKey(owner, self, relation, row)
    there.own(partner).forgetIdleEdit(of: partner, key, owner._$header.pointee.rowID)
  }

  /// The stored foreign key of an edited to-one; 0 for NULL.
  private func storedKey(of model: any PersistentModel, _ relation: RelationLayout) -> Int64 {
    let row = model._$header.pointee.rowID
    // Under `overwrite` an edited object's original value is not updated by other contexts' saves.
    if core.mergePolicy == .overwrite, let stored = try? storedKeys(of: [row], relation) {
      return stored.first?.target ?? 0
    }
    return formerKey(of: model, relation)
  }

  /// The row that a to-one with a column of its own led to before its first change; 0 for none.
  func formerKey(of model: any PersistentModel, _ relation: RelationLayout) -> Int64 {
    let header = model._$header
    guard header.pointee.status.isSuperset(of: [.stored, .changed]),
      let entry = undo.entry(of: header.pointee.place, relation.bit),
      let place = layout.columns(in: relation.bit).firstIndex(where: { $0.property == relation.property }),
      case let values = undo.values(of: entry), place < values.count, case .integer(let row) = values[place]
    else { return 0 }
    return row
  }
}
