import LarderSupport

// The base versions of to-manys, after other contexts have committed: the members that the program knows of through its own
// edits, at either end.

extension _ContextCore {
  /// Records that the program moved a member of a one-to-many relationship to a list or, if `owner` is 0, to none. The member
  /// is removed from the base versions of all other lists, whatever the program was shown of these.
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

  /// Records an edit by which the program added or removed members that other contexts had added or removed already. The base
  /// versions at the other ends follow the program's edit.
  ///
  /// - Parameters:
  ///   - removed: The members that the edit removed from the list.
  ///   - added: The members that the edit added to the list.
  @inline(__always)
  func recordLocalEdit(
    _ owner: any PersistentModel, _ tracker: _EntityTracker, _ relationship: RelationshipLayout, from shown: [Int64],
    to wanted: [any PersistentModel], _ removed: [any PersistentModel], _ added: [any PersistentModel]
  ) {
    guard hasRemoteCommits, relationship.inverse != nil else { return }
    recordInverseEnds(owner, tracker, relationship, shown, wanted, Set(removed.rowIDs + added.rowIDs))
  }

  /// Records an edit of a to-one in the base version of the list at its other end.
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

  /// Whether a list may differ from the list that the program was shown.
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
