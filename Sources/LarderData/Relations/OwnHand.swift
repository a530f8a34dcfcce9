import LarderSupport

// What a program knows of to-manys by what it has done itself, at whichever end, where others have committed.

extension ContextCore {
  /// The program has put a member of one to many into a list, or, with 0, into none: whatever it was shown of others, the member
  /// is in none of them any more, for all that the program knows.
  @inline(__always)
  func notePlaced(
    _ member: any PersistentModel, in owner: Int64, _ state: EntityState, _ relation: RelationLayout
  ) {
    if relationMarks.hasShownLists { placeShown(member._$header.pointee.rowID, owner, state, relation.property) }
  }

  @inline(never)
  private func placeShown(_ member: Int64, _ owner: Int64, _ state: EntityState, _ property: Int) {
    for own in state.declaring(property).family { own.shownLists.place(member, property, in: owner) }
  }

  /// The program has put members into a list, or taken them out, that others had put there, or taken out, already: it knows of
  /// their other ends what it has done itself.
  ///
  /// - Parameters:
  ///   - removed: What has left the list by it.
  ///   - added: What has come into it.
  @inline(__always)
  func noteHand(
    _ owner: any PersistentModel, _ state: EntityState, _ relation: RelationLayout, from shown: [Int64],
    to wanted: [any PersistentModel], _ removed: [any PersistentModel], _ added: [any PersistentModel]
  ) {
    guard hasOthersCommitted, relation.mirrored != nil else { return }
    noteOtherEnds(owner, state, relation, shown, wanted, Set(removed.rows + added.rows))
  }

  /// The same of a to-one, of the list that it leads to.
  @inline(__always)
  func noteHand(
    _ owner: any PersistentModel, leadingTo new: (any PersistentModel)?, _ there: EntityState,
    _ relation: RelationLayout
  ) {
    guard hasOthersCommitted, let new, let inverse = relation.mirrored, inverse.isToMany else { return }
    notePlaced(owner, in: new._$header.pointee.rowID, there, inverse)
    unloadIfOutdated(new, inverse)
    there.own(new).joinShown(new, inverse, [owner])
  }

  /// Whether a list may hold something else than the program was shown.
  private var hasOthersCommitted: Bool { relationMarks.hasShownLists || relationMarks.generation > 1 }

  @inline(never)
  private func noteOtherEnds(
    _ owner: any PersistentModel, _ state: EntityState, _ relation: RelationLayout, _ shown: [Int64],
    _ wanted: [any PersistentModel], _ changed: Set<Int64>
  ) {
    guard let inverse = relation.mirrored, let there = existingState(for: relation.destinationLayout) else { return }
    let (known, kept) = (Set(shown), Set(wanted.rows))
    for member in wanted {
      let row = member._$header.pointee.rowID
      if known.contains(row) || changed.contains(row) { continue }
      if inverse.isToMany {
        unloadIfOutdated(member, inverse)
        there.own(member).joinShown(member, inverse, [owner])
      } else {
        notePlaced(member, in: owner._$header.pointee.rowID, state, relation)
      }
    }
    if !inverse.isToMany { return }
    for row in shown where !kept.contains(row) && !changed.contains(row) {
      guard let member = there.find(row).map(there.erased) else { continue }
      unloadIfOutdated(member, inverse)
      there.own(member).leaveShown(member, inverse, [owner])
    }
  }
}
