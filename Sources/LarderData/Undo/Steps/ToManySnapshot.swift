/// A to-many that a step restores.
struct ToManyReversal {
  let owner: any PersistentModel
  let tracker: _EntityTracker
  let relationship: RelationshipLayout
  let snapshot: ToManySnapshot
}

/// A to-many as a step tells of it, with the objects that are there.
struct ToManySnapshot {
  /// The members before the step that are there, in their order.
  let members: [any PersistentModel]
  let rowsBefore: Set<Int64>
  private let rowsAfter: Set<Int64>
  /// What the store had in it.
  private let storedRows: Set<Int64>
  /// Whether this context has saved since, so that it may be itself who changed what is stored.
  private let hasSaved: Bool
  private let restoredIDs: Set<ObjectIdentifier>
  private let deletedIDs: Set<ObjectIdentifier>
  /// Whether some member comes back.
  let hasRestoredMember: Bool

  /// - Parameters:
  ///   - back: The objects that come back with this step.
  ///   - going: Those that go with it.
  init(
    _ list: ObjectChange.List, hasSaved: Bool, object: (Int64) -> (any PersistentModel)?,
    restored back: Set<ObjectIdentifier>, deleted going: Set<ObjectIdentifier>
  ) {
    members = list.before.compactMap(object)
    rowsBefore = Set(list.before)
    rowsAfter = Set(list.after)
    storedRows = list.stored.map { Set($0) } ?? rowsBefore
    self.hasSaved = hasSaved
    self.restoredIDs = back
    self.deletedIDs = going
    hasRestoredMember = members.contains { back.contains(ObjectIdentifier($0)) }
  }

  func isRestored(_ member: any PersistentModel) -> Bool { restoredIDs.contains(ObjectIdentifier(member)) }

  /// Whether a pair that is not stored by now was, and others have taken it out.
  func wasRemovedRemotely(_ row: Int64) -> Bool { !hasSaved && storedRows.contains(row) }
  /// Whether a pair that is stored was not, so that others have put it in.
  func wasAddedRemotely(_ row: Int64) -> Bool { !hasSaved && !storedRows.contains(row) && !rowsBefore.contains(row) }
  func isBeingDeleted(_ member: any PersistentModel) -> Bool { deletedIDs.contains(ObjectIdentifier(member)) }
  func wasRemoved(_ row: Int64) -> Bool { rowsBefore.contains(row) && !rowsAfter.contains(row) }
  func wasAdded(_ row: Int64) -> Bool { !rowsBefore.contains(row) && rowsAfter.contains(row) }
}
