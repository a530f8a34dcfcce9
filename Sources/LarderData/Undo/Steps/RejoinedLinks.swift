import LarderSupport

/// The lists of pairs that a step restores because objects come back: what is stored of them by now is compared with what
/// was stored then, since others may have joined some meanwhile, and parted some.
///
/// Where a deletion was not saved, its pairs have been in the store all the while. Then an object comes back to them at
/// both ends, and there is nothing to be written.
struct RejoinedLinks {
  private let core: ContextCore
  /// What the store has in the lists, by now.
  private var stored: [RelationPlace: [Int64]] = [:]
  /// The objects that are in lists of those that are back.
  private var objects: [RowPlace: any PersistentModel] = [:]

  init(_ core: ContextCore) { self.core = core }

  /// Reads what the store has by now, by two statements for each relationship.
  mutating func read(_ lists: [StepList]) throws {
    var wanted: [ObjectIdentifier: [StepList]] = [:]
    for list in lists where list.owner._$header.pointee.status.contains(.stored) {
      guard list.relation.isLink, list.former.isBack(list.owner) || list.former.hasBack else { continue }
      wanted[ObjectIdentifier(list.relation), default: []].append(list)
    }
    for lists in wanted.values {
      guard let (state, relation) = lists.first.map({ ($0.state, $0.relation) }) else { continue }
      let rows = try core.storedLists(lists.map { $0.owner._$header.pointee.rowID }, state, relation)
      let there = try core.state(for: relation.destinationLayout)
      for model in try there.loadRows(Set(rows.values.joined()).inOrder()) {
        objects[RowPlace(there, model._$header.pointee.rowID)] = model
      }
      for list in lists {
        stored[RelationPlace(list.owner, relation.property)] = rows[list.owner._$header.pointee.rowID, default: []]
        // All of them, before one is loaded, and others with it.
        if !list.former.isBack(list.owner) { bringInStep(list, there) }
      }
    }
  }

  // MARK: Of those that are back

  /// Gives an object that is back the list that it had, but for what others have changed of it.
  ///
  /// - Returns: Whether it was one.
  func restore(_ list: StepList) throws -> Bool {
    let (owner, relation, former) = (list.owner, list.relation, list.former)
    guard former.isBack(owner), let rows = stored[RelationPlace(owner, relation.property)] else { return false }
    let there = try core.state(for: relation.destinationLayout)
    let now = rows.compactMap { objects[RowPlace(there, $0)] }
    let present = Set(rows)
    var members: [any PersistentModel] = []
    var parted: [any PersistentModel] = []
    var forgotten: [any PersistentModel] = []
    for member in former.members {
      let row = member._$header.pointee.rowID
      if present.contains(row) || !former.isParted(row) { members.append(member) } else { forgotten.append(member) }
    }
    for member in now where !former.before.contains(member._$header.pointee.rowID) {
      if member._$header.pointee.status.contains(.deleted) { continue }
      if former.isJoined(member._$header.pointee.rowID) { members.append(member) } else { parted.append(member) }
    }
    // One that others have joined to it, and that is deleted here, is in it when it is back. One that was taken out of it
    // stays out.
    let seen = now.filter { member in
      !member._$header.pointee.status.contains(.deleted) || !former.isJoined(member._$header.pointee.rowID)
    }
    if seen.count < now.count { core.relationMarks.isLoadedWithPending = true }
    set(members, in: list, storedAs: seen)
    guard let inverse = relation.mirrored else { return true }
    func others(_ members: [any PersistentModel]) -> [any PersistentModel] {
      members.filter { $0 !== owner || inverse !== relation }
    }
    for member in others(members) {
      if present.contains(member._$header.pointee.rowID) {
        show(owner, in: member, inverse)
      } else if !member.holds(owner, in: inverse.property) {
        core.join(member, there, inverse, owner)
      }
    }
    for member in others(parted) {
      core.leave(member, there, inverse, owner)
      noteStored(owner, in: member, inverse)
    }
    for member in others(forgotten) { core.forgetLink(of: owner, in: member, inverse) }
    return true
  }

  private func set(_ members: [any PersistentModel], in list: StepList, storedAs now: [any PersistentModel]) {
    let (owner, state, relation) = (list.owner, list.state, list.relation)
    let place = RelationPlace(owner, relation.property)
    // What the save compares it with.
    state.formerRelations[place]?.value = .many(now)
    state.formerRelations[place]?.generation = Int64(core.relationMarks.generation)
    state.formerRelations[place]?.mergedGeneration = core.relationMarks.generation
    core.relationMarks.listChanges &+= 1
    state.observe(owner, relation.property) {
      // What it was before the step is known to the program, and what others have changed since is not.
      let mark = state.own(owner).setShown(
        owner, relation.property, list.former.members.rows, holding: members.rows)
      owner._$change(relation.property, .objects(members, generation: mark))
    }
    core.noteLinkHolder(owner, relation.property)
  }

  /// Has the other end of a pair that is stored show it again, which is no change of it.
  private func show(_ model: any PersistentModel, in other: any PersistentModel, _ relation: RelationLayout) {
    guard let state = core.forgetLink(of: model, in: other, relation) else { return }
    let place = RelationPlace(other, relation.property)
    let isAsStored = isAsStored(other, relation, state.formerRelations[place])
    if case .many(let base?)? = state.formerRelations[place]?.value, !base.contains(where: { $0 === model }) {
      state.formerRelations[place]?.value = .many(base + [model])
    }
    // What is not loaded is read with it.
    guard other._$key(relation.property) != 0, !other.holds(model, in: relation.property) else { return }
    core.relationMarks.listChanges &+= 1
    if isAsStored {
      // So it is now, in the order that the store has.
      state.formerRelations[place]?.value = .many(nil)
      state.observe(other, relation.property) { state.unloadShown(other, relation, returned: [model]) }
    } else {
      state.observe(other, relation.property) {
        other._$change(relation.property, .append(model))
        state.changeShown(other, relation) { shown in
          let row = model._$header.pointee.rowID
          shown.removeAll { $0 == row }
          shown.append(row)
        }
      }
    }
  }

  /// Whether nothing is pending in a list but what deletions hide of it.
  private func isAsStored(
    _ other: any PersistentModel, _ relation: RelationLayout, _ former: FormerRelation?
  ) -> Bool {
    guard other._$header.pointee.status.contains(.stored) else { return false }
    guard let former else { return true }
    guard case .many(let before?) = former.value, case .many(let now?) = other._$relation(relation.property) else {
      return false
    }
    return before.elementsEqual(now, by: ===)
  }

  /// Has the other end of a pair that is parted here know that the store has it until the save. Its list may have been
  /// loaded while the pair was hidden.
  private func noteStored(_ model: any PersistentModel, in other: any PersistentModel, _ relation: RelationLayout) {
    guard let state = other._$header.pointee.state, other._$header.pointee.status.contains(.stored),
      !other._$header.pointee.status.contains(.deleted), case .many(.some) = other._$relation(relation.property)
    else { return }
    if state.formerRelations[RelationPlace(other, relation.property)] == nil {
      core.relationMarks.listChanges &+= 1
      state.noteChange(other, relation)
      core.noteLinkHolder(other, relation.property)
    }
    let place = RelationPlace(other, relation.property)
    guard case .many(let base?)? = state.formerRelations[place]?.value, !base.contains(where: { $0 === model })
    else { return }
    state.formerRelations[place]?.value = .many(base + [model])
  }

  // MARK: Of others

  /// Has lists that nothing mirrors show what is back, if others have put it in while it was deleted: no step tells of them.
  func show(_ returned: [StepOwner], besides lists: [StepList]) throws {
    let restored = Set(lists.map { RelationPlace($0.owner, $0.relation.property) })
    var models: [Int: (state: EntityState, members: [Int64: any PersistentModel])] = [:]
    for owner in returned where owner.model._$header.pointee.status.contains(.stored) {
      models[owner.state.layout.id, default: (owner.state, [:])].members[owner.model._$header.pointee.rowID] =
        owner.model
    }
    for (state, members) in models.values {
      for incoming in core.container.incoming(state.layout) {
        guard case .link(let table, _) = incoming.relation.form else { continue }
        let there = try core.state(for: incoming.layout)
        for (row, holder) in try there.session.linkedRows(of: members.keys.inOrder(), table, isSource: false) {
          guard let member = members[row], let holder = there.find(holder).map(there.erased),
            !restored.contains(RelationPlace(holder, incoming.relation.property))
          else { continue }
          showAgain(member, in: holder, incoming.relation)
        }
      }
    }
  }

  private func showAgain(_ member: any PersistentModel, in holder: any PersistentModel, _ relation: RelationLayout) {
    guard let state = holder._$header.pointee.state, !holder._$header.pointee.status.contains(.deleted) else { return }
    let former = state.formerRelations[RelationPlace(holder, relation.property)]
    guard former == nil else {
      // One that was taken out here stays out.
      if case .many(let base?)? = former?.value, base.contains(where: { $0 === member }) { return }
      return show(member, in: holder, relation)
    }
    guard holder._$key(relation.property) != 0, !holder.holds(member, in: relation.property) else { return }
    // Read when it is next asked for, in the order that it has in the store.
    state.observe(holder, relation.property) { state.unloadShown(holder, relation.property) }
  }

  /// What is to be in the list of an object that was there all the while.
  func members(_ list: StepList) throws -> [any PersistentModel] {
    let (owner, relation, former) = (list.owner, list.relation, list.former)
    let stored = stored[RelationPlace(owner, relation.property)].map { Set($0) }
    let present = try core.objects(of: owner, list.state, relation)
    let now = Set(present.map { $0._$header.pointee.rowID })
    let members = former.members.filter { member in
      let row = member._$header.pointee.rowID
      if now.contains(row) { return true }
      // It was hidden, and not taken out.
      if let stored, former.isBack(member) { return stored.contains(row) || !former.isParted(row) }
      return former.wasTakenOut(row)
    }
    // What others put in stays. What goes is taken out by its deletion, which can then be taken back by an insert.
    return members
      + present.filter { member in
        let row = member._$header.pointee.rowID
        return !former.before.contains(row) && (!former.wasPutIn(row) || former.isGoing(member))
      }
  }

  /// What was loaded of pairs while an object at the other end was deleted is not what the store has.
  private func bringInStep(_ list: StepList, _ there: EntityState) {
    let (owner, state, relation) = (list.owner, list.state, list.relation)
    let place = RelationPlace(owner, relation.property)
    let now = stored[place, default: []].compactMap { objects[RowPlace(there, $0)] }
    guard owner._$key(relation.property) != 0 else {
      for member in now.filter(list.former.isBack) {
        state.linkEdits[place]?.removed.remove(member._$header.pointee.rowID)
      }
      return
    }
    // One that was not changed is read when it is next asked for.
    guard state.formerRelations[place] != nil else {
      let returned = now.filter { list.former.isBack($0) && list.former.before.contains($0._$header.pointee.rowID) }
      return state.observe(owner, relation.property) {
        state.unloadShown(owner, relation, returned: returned)
      }
    }
    let present = now.filter { !$0._$header.pointee.status.contains(.deleted) }
    state.merge(present, stored[place], into: owner, relation)
  }
}
