import LarderSupport

// What a program knows of to-manys by what it has done itself, at whichever end, where others have committed.

extension _ContextCore {
  /// The program has put a member of one to many into a list, or, with 0, into none: whatever it was shown of others, the member
  /// is in none of them any more, for all that the program knows.
  @inline(__always)
  func recordMembership(
    _ member: any PersistentModel, in owner: Int64, _ tracker: _EntityTracker, _ relationship: RelationshipLayout
  ) {
    if relationMarks.hasBaseVersions {
      updateBaseMembership(member._$header.pointee.rowID, owner, tracker, relationship.property)
    }
  }

  @inline(never)
  private func updateBaseMembership(_ member: Int64, _ owner: Int64, _ tracker: _EntityTracker, _ property: Int) {
    for own in tracker.declaringTracker(property).family {
      own.lastReadLists.recordMembership(member, property, in: owner)
    }
  }

  /// The program has put members into a list, or taken them out, that others had put there, or taken out, already: it knows of
  /// their other ends what it has done itself.
  ///
  /// - Parameters:
  ///   - removed: What has left the list by it.
  ///   - added: What has come into it.
  @inline(__always)
  func recordLocalEdit(
    _ owner: any PersistentModel, _ tracker: _EntityTracker, _ relationship: RelationshipLayout, from shown: [Int64],
    to wanted: [any PersistentModel], _ removed: [any PersistentModel], _ added: [any PersistentModel]
  ) {
    guard hasRemoteCommits, relationship.inverse != nil else { return }
    recordInverseEnds(owner, tracker, relationship, shown, wanted, Set(removed.rowIDs + added.rowIDs))
  }

  /// The same of a to-one, of the list that it leads to.
  @inline(__always)
  func recordLocalEdit(
    _ owner: any PersistentModel, referencing new: (any PersistentModel)?, _ there: _EntityTracker,
    _ relationship: RelationshipLayout
  ) {
    guard hasRemoteCommits, let new, let inverse = relationship.inverse, inverse.isToMany else { return }
    recordMembership(owner, in: new._$header.pointee.rowID, there, inverse)
    unloadIfStale(new, inverse)
    there.concreteTracker(new).appendToBase(new, inverse, [owner])
  }

  /// Whether a list may hold something else than the program was shown.
  private var hasRemoteCommits: Bool { relationMarks.hasBaseVersions || relationMarks.generation > 1 }

  @inline(never)
  private func recordInverseEnds(
    _ owner: any PersistentModel, _ tracker: _EntityTracker, _ relationship: RelationshipLayout, _ shown: [Int64],
    _ wanted: [any PersistentModel], _ changed: Set<Int64>
  ) {
    guard let inverse = relationship.inverse, let there = existingTracker(for: relationship.destinationLayout) else {
      return
    }
    let (known, kept) = (Set(shown), Set(wanted.rowIDs))
    for member in wanted {
      let row = member._$header.pointee.rowID
      if known.contains(row) || changed.contains(row) { continue }
      if inverse.isToMany {
        unloadIfStale(member, inverse)
        there.concreteTracker(member).appendToBase(member, inverse, [owner])
      } else {
        recordMembership(member, in: owner._$header.pointee.rowID, tracker, relationship)
      }
    }
    if !inverse.isToMany { return }
    for row in shown where !kept.contains(row) && !changed.contains(row) {
      guard let member = there.find(row).map(there.erased) else { continue }
      unloadIfStale(member, inverse)
      there.concreteTracker(member).removeFromBase(member, inverse, [owner])
    }
  }
}
