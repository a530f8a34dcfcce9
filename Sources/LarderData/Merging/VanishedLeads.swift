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
  /// - Parameter wasLedBack: Whether the program has set a to-one of the object that goes.
  func takeBackLead(
    of owner: any PersistentModel, _ state: EntityState, _ relation: RelationLayout, wasLedBack: Bool
  ) {
    let status = owner._$header.pointee.status
    let isEdited = !status.contains(.deleted) && relation.isEdited(of: owner)
    let isLed = isEdited && status.contains(.led)
    let storeWins = mergePolicy == .mergeByPropertyStoreTrump
    guard case .key = relation.form else {
      let former = owner._$key(relation.property)
      state.observe(owner, relation.property) { owner._$change(relation.property, .key(0)) }
      if isLed, !wasLedBack, !storeWins {
        relations.lostLeads[RelationPlace(owner, relation.property)] =
          LostLead(owner: owner, relation: relation, former: former)
      } else if isEdited {
        state.leadBackToFormerPartner(owner, relation)
      }
      return
    }
    guard isEdited, relation.mirrored != nil && !isLed || storeWins else { return }
    if !state.leadBackToFormer(owner, relation), relation.isOptional { setKey(owner, state, relation, 0) }
  }

  /// Refuses to save to-ones that were led to what others have deleted, and have not been set since.
  func refuseLostLeads() throws {
    if relations.lostLeads.isEmpty { return }
    let left = relations.lostLeads.values.compactMap { lead in
      lead.owner.map { (owner: $0, relation: lead.relation, former: lead.former) }
    }
    let lost = left.filter { isHere($0.owner) && $0.owner._$key($0.relation.property) == 0 }
    if mergePolicy == .mergeByPropertyStoreTrump {
      for lead in lost { lead.owner._$header.pointee.state?.leadBackToFormerPartner(lead.owner, lead.relation) }
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
  /// - Returns: False where that leads nowhere, has gone, or has been changed by the program itself.
  fileprivate func leadBackToFormer(_ owner: any PersistentModel, _ relation: RelationLayout) -> Bool {
    let row = own(owner).formerKey(of: owner, relation)
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
      if isEdited, status.contains(.led) || former._$key(inverse.property) > 0 { return false }
      core.setKey(owner, self, relation, row)
      core.setKey(former, there, inverse, owner._$header.pointee.rowID)
    }
    return true
  }

  /// The same of a to-one of which the other end has the key.
  fileprivate func leadBackToFormerPartner(_ owner: any PersistentModel, _ relation: RelationLayout) {
    guard case .one(let row, _)? = formerRelations[RelationPlace(owner, relation.property)]?.value, row > 0,
      let key = relation.mirrored, let there = core.existingState(for: relation.destinationLayout),
      let former = there.find(row).map(there.erased), core.isHere(former), key.isEdited(of: former),
      former._$key(key.property) == 0, !former._$header.pointee.status.contains(.led),
      there.own(former).formerKey(of: former, key) == owner._$header.pointee.rowID
    else { return }
    core.setKey(former, there, key, owner._$header.pointee.rowID)
    core.setKey(owner, self, relation, row)
  }

  /// The row that a to-one with a column of its own led to before its first change; 0 for none.
  private func formerKey(of model: any PersistentModel, _ relation: RelationLayout) -> Int64 {
    let header = model._$header
    guard header.pointee.status.isSuperset(of: [.stored, .changed]),
      let entry = undo.entry(of: header.pointee.place, relation.bit),
      let place = layout.columns(in: relation.bit).firstIndex(where: { $0.property == relation.property }),
      case let values = undo.values(of: entry), place < values.count, case .integer(let row) = values[place]
    else { return 0 }
    return row
  }
}
