// Relationships that were changed here, and that others have changed, too. In a to-many is what each has added, and not
// what each has taken out; of two objects that a to-one was given here and there, one loses it.

import LarderSupport

extension ContextCore {
  /// Merges the changes of others into relationships that were changed here and that other rows tell.
  ///
  /// - Parameter isChanged: Whether others have changed rows of a model, given by the topmost class's state.
  func mergeEditedRelations(_ isChanged: (EntityState) -> Bool) throws {
    for state in known where state.dirtyMask != 0 && isChanged(state.root) { try state.mergePairs() }
    var pairs = PairEdits(self, isChanged)
    defer { pairs.settle() }
    for state in known where !state.formerRelations.isEmpty {
      var owners: [Int: [any PersistentModel]] = [:]
      for former in state.formerRelations.values where former.mergedGeneration != relationMarks.generation {
        guard let relation = state.own(former.model).layout.relation(former.property),
          isLoadedAndStored(former.model, relation),
          let there = existingState(for: relation.destinationLayout)?.root, isChanged(there) || isChanged(state.root)
        else { continue }
        owners[former.property, default: []].append(former.model)
      }
      for (property, owners) in owners {
        guard let relation = owners.first.flatMap({ state.own($0).layout.relation(property) }) else { continue }
        // In one snapshot: what others commit between two of them would be in the one list and not in the other, and seem to
        // have been changed here.
        let (stored, rows) = try state.session.read { _ in
          let stored = try loadGroups(owners, state, relation)
          let unlike = owners.filter { owner in
            let present = stored[owner._$header.pointee.rowID] ?? []
            return state.hadDeleted(owner, relation) || hasMoved(present, relation)
              || state.lacksFormer(present, owner, relation)
          }
          let asked = unlike.map { $0._$header.pointee.rowID }
          var rows = try storedLists(asked, state, relation)
          for row in asked where rows[row] == nil { rows[row] = [] }
          return (stored, rows)
        }
        for owner in owners {
          let objects = stored[owner._$header.pointee.rowID] ?? []
          if relation.isToMany {
            let edits = pairs.edits(of: owner, state, relation, stored: objects)
            state.merge(objects, rows[owner._$header.pointee.rowID], into: owner, relation, edits)
          } else {
            try state.mergeOne(objects, into: owner, relation)
          }
        }
      }
    }
  }

  /// Whether some of what was read into a list was given its key here: it stands last then, wherever the store has it.
  private func hasMoved(_ members: [any PersistentModel], _ relation: RelationLayout) -> Bool {
    guard relation.isToMany, let key = relation.mirrored, !key.isToMany else { return false }
    return members.contains { $0._$header.pointee.status.contains(.stored) && key.isEdited(of: $0) }
  }

  private func isLoadedAndStored(_ model: any PersistentModel, _ relation: RelationLayout) -> Bool {
    let header = model._$header
    guard header.pointee.status.contains(.stored), !header.pointee.status.contains(.deleted) else { return false }
    switch model._$relation(relation.property) {
    case .many(_?): return true
    case .one: if case .mirror = relation.form { return true }
    default: break
    }
    return false
  }
}

extension EntityState {
  /// Of a to-one that is its own inverse both rows have a key. One that was edited here has its other end here; what leads
  /// to it elsewhere, in a row that may not have been in hand, leads there no more.
  fileprivate func mergePairs() throws {
    for relation in layout.relations where !relation.isToMany && relation.isSymmetric {
      if dirtyMask & relation.bit == 0 { continue }
      let owners = changed.map(erased).filter { owner in
        !owner._$header.pointee.status.contains(.deleted) && isMoved(owner, relation)
      }
      if owners.isEmpty { continue }
      core.relationMarks.isLoadedWithPending = true
      let rows = owners.map { $0._$header.pointee.rowID }
      let there = try core.state(for: relation.destinationLayout)
      let groups = try there.loadMirroring(rows, relation.property)
      // What one of them was led to may have gone, and be back.
      let gone = owners.map { $0._$key(relation.property) }.filter { $0 > 0 && there.find($0) == nil }
      let back = try there.loadRows(gone.inOrder())
      let held = Dictionary(back.map { ($0._$header.pointee.rowID, $0) }, uniquingKeysWith: { first, _ in first })
      let rivals = try held.isEmpty ? [:] : there.loadMirroring(held.keys.inOrder(), relation.property)
      for owner in owners {
        guard let other = held[owner._$key(relation.property)], !isMoved(other, relation) else { continue }
        core.setKey(other, own(other), relation, owner._$header.pointee.rowID)
        // Who brought it back may have led another to it.
        let ledByOthers = (rivals[other._$header.pointee.rowID] ?? []).filter { $0 !== owner }
        if core.mergePolicy == .error, !ledByOthers.isEmpty {
          own(other).markAsConflicting(other)
          continue
        }
        for rival in ledByOthers {
          own(rival).observe(rival, relation) { rival._$change(relation.property, .key(0)) }
        }
      }
      for owner in owners {
        let row = owner._$header.pointee.rowID
        for object in groups[row] ?? [] where object._$header.pointee.rowID != owner._$key(relation.property) {
          own(object).observe(object, relation) { object._$change(relation.property, .key(0)) }
        }
      }
    }
  }

  /// Has a save under ``MergePolicy/error`` refuse an edited object: its version is one that others have left behind. The next merge
  /// reads the row's own version again.
  private func markAsConflicting(_ model: any PersistentModel) {
    model._$header.pointee.version &-= 1
    leaveBehind(model._$header.pointee.rowID)
  }

  /// Those of some objects that are in a list of rows, in its order.
  private func ordered(_ objects: [any PersistentModel], _ rows: [Int64]) -> [any PersistentModel] {
    let byRow = Dictionary(
      objects.map { ($0._$header.pointee.rowID, $0) }, uniquingKeysWith: { first, _ in first })
    return rows.compactMap { byRow[$0] }
  }

  private func isDeleted(_ model: any PersistentModel) -> Bool { model._$header.pointee.status.contains(.deleted) }

  /// Whether a list of pairs was changed, and had something in it that is deleted here.
  fileprivate func hadDeleted(_ owner: any PersistentModel, _ relation: RelationLayout) -> Bool {
    guard relation.isLink, case .many(let base?)? = formerRelations[RelationPlace(owner, relation.property)]?.value
    else { return false }
    return base.contains(where: isDeleted)
  }

  /// Whether a list of members that have the key lacks some that it had: the store may have them in it still, if they were
  /// moved or deleted here, and each has its place there when that is taken back.
  fileprivate func lacksFormer(
    _ present: [any PersistentModel], _ owner: any PersistentModel, _ relation: RelationLayout
  ) -> Bool {
    guard relation.isToMany, !relation.isLink,
      let former = formerRelations[RelationPlace(owner, relation.property)]?.rows
    else { return false }
    return !Set(present.rows).isSuperset(of: former)
  }

  /// Of the objects that have the key to one, those that were given it elsewhere.
  fileprivate func mergeOne(
    _ objects: [any PersistentModel], into owner: any PersistentModel, _ relation: RelationLayout
  ) throws {
    formerRelations[RelationPlace(owner, relation.property)]?.mergedGeneration = core.relationMarks.generation
    guard let key = relation.mirrored else { return }
    let there = try core.state(for: relation.destinationLayout)
    // Others have led it elsewhere, in a row that is not in hand.
    if objects.isEmpty, owner._$key(relation.property) != 0 {
      observe(owner, relation.property) { owner._$change(relation.property, .key(0)) }
    }
    for object in objects where object._$header.pointee.rowID != owner._$key(relation.property) {
      // It may have lost it to another meanwhile.
      guard object._$key(key.property) == owner._$header.pointee.rowID else { continue }
      there.take(object, key, by: owner, relation, self)
    }
  }

  /// - Parameters:
  ///   - stored: The list's present members, read from the store and with pending edits applied.
  ///   - rows: What the store has in it, where that may be something else: what is deleted here, or moved out of it, may come
  ///     back, and is to be out of the list then if it was taken out of it; and what was moved into it here stands elsewhere.
  ///   - edits: What was put into a list of pairs, or taken out, at either end. See ``PairEdits``.
  func merge(
    _ stored: [any PersistentModel], _ rows: [Int64]?, into owner: any PersistentModel, _ relation: RelationLayout,
    _ edits: [Int64: Bool] = [:]
  ) {
    let place = RelationPlace(owner, relation.property)
    guard let former = formerRelations[place], case .many(let current?) = owner._$relation(relation.property) else {
      return
    }
    formerRelations[place]?.mergedGeneration = core.relationMarks.generation
    var result: [any PersistentModel]
    if case .link = relation.form {
      // One that was set without having been read is what it was set to, whatever others do.
      guard case .many(let base?) = former.value else { return }
      let (new, known) = followed(current, base.rows, edits, relation)
      result = ListMerge(new: new, base: known, now: stored, endsWithOthers: true).result()
      // The save compares with what is stored by now.
      formerRelations[place]?.value = .many(rows.map { ordered(stored + base.filter(isDeleted), $0) } ?? stored)
      formerRelations[place]?.generation = Int64(core.relationMarks.generation)
    } else {
      result = mergeMembers(stored, rows, former, current, relation)
    }
    if result.elementsEqual(current, by: ===) { return }
    if relation.isLink { forgetLinks(of: owner, relation, from: current, to: result) }
    let own = own(owner)
    own.noteShown(owner, relation.property)
    observe(owner, relation.property) {
      let mark = own.mark(owner, relation.property, holding: result.rows)
      owner._$change(relation.property, .objects(result, generation: mark))
    }
  }

  /// A list of pairs, and what it is a difference to, in which each of the changes is one.
  private func followed(
    _ current: [any PersistentModel], _ base: [Int64], _ edits: [Int64: Bool], _ relation: RelationLayout
  ) -> (new: [any PersistentModel], base: [Int64]) {
    if edits.isEmpty { return (current, base) }
    let (present, known) = (Set(current.rows), Set(base))
    let there = core.existingState(for: relation.destinationLayout)
    let (put, taken) = (edits.keys.filter { edits[$0] == true }.inOrder(), edits.keys.filter { edits[$0] == false })
    let absent = put.filter { !present.contains($0) }.compactMap { row in there?.find(row).flatMap { there?.erased($0) }
    }
    return (
      current.filter { edits[$0._$header.pointee.rowID] != false } + absent,
      base.filter { edits[$0] != true } + taken.filter { !known.contains($0) }
    )
  }

  /// The members' own keys say where they are: what is stored was read with what is pending. It remains where they stand.
  private func mergeMembers(
    _ read: [any PersistentModel], _ rows: [Int64]?, _ former: FormerRelation, _ current: [any PersistentModel],
    _ relation: RelationLayout
  ) -> [any PersistentModel] {
    let now = Set(read.rows)
    // What others have not in it was put there here, even if it was in it before.
    let present = rows.map { Set($0) } ?? now
    let stored = rows.map { ordered(read, $0) + read.filter { !present.contains($0._$header.pointee.rowID) } } ?? read
    let kept = current.filter { now.contains($0._$header.pointee.rowID) }
    guard let key = relation.mirrored, let before = former.rows else {
      let there = Set(kept.rows)
      return kept + stored.filter { !there.contains($0._$header.pointee.rowID) }
    }
    let known = Set(before)
    // What others have moved into it by now, and has followed, is theirs.
    let own = kept.filter { known.contains($0._$header.pointee.rowID) || key.isEdited(of: $0) }
    let wanted = Set(own.rows)
    let added = wanted.filter { !known.contains($0) || !present.contains($0) }
    let others = stored.filter { !added.contains($0._$header.pointee.rowID) }
    // Members that were moved out of the list here, or deleted, are among these rows: when such a member comes back by an undo,
    // it does not count as added by others.
    formerRelations[RelationPlace(former.model, relation.property)]?.loaded =
      rows.map { rows in rows.filter { !added.contains($0) } } ?? others.rows
    // What was taken out here and is in it all the same counts as added by others.
    let base = before.filter { wanted.contains($0) ? !added.contains($0) : !now.contains($0) }
    return ListMerge(new: own, base: base, now: others, endsWithOthers: true).result()
  }

  /// What a merge takes out of a list, or puts in, is no edit at the other end any more, which may not be loaded.
  private func forgetLinks(
    of owner: any PersistentModel, _ relation: RelationLayout, from current: [any PersistentModel],
    to result: [any PersistentModel]
  ) {
    guard let inverse = relation.mirrored else { return }
    let kept = Set(current.map { ObjectIdentifier($0) }).intersection(result.map { ObjectIdentifier($0) })
    for member in current + result where !kept.contains(ObjectIdentifier(member)) {
      core.forgetLink(of: owner, in: member, inverse)
    }
  }
}
