/// A to-many that a step restores.
struct ToManyReversal {
  let owner: any PersistentModel
  let tracker: _EntityTracker
  let relationship: RelationshipLayout
  let snapshot: ToManySnapshot
}

/// A to-many as a step records it, with the objects that are present.
struct ToManySnapshot {
  /// The members before the step that are present, in their order.
  let members: [any PersistentModel]
  let rowsBefore: Set<Int64>
  private let rowsAfter: Set<Int64>
  /// The stored members.
  private let storedRows: Set<Int64>
  /// Whether this context has saved since, so that it may have changed the stored members itself.
  private let hasSaved: Bool
  private let restoredIDs: Set<ObjectIdentifier>
  private let deletedIDs: Set<ObjectIdentifier>
  /// Whether any member is restored.
  let hasRestoredMember: Bool

  /// - Parameters:
  ///   - back: The objects that this reversal restores.
  ///   - going: The objects that it deletes.
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

  /// Returns whether another context has removed a pair: it is not stored any more, but was.
  func wasRemovedRemotely(_ row: Int64) -> Bool { !hasSaved && storedRows.contains(row) }
  /// Returns whether another context has added a pair: it is stored, but was not.
  func wasAddedRemotely(_ row: Int64) -> Bool { !hasSaved && !storedRows.contains(row) && !rowsBefore.contains(row) }
  func isBeingDeleted(_ member: any PersistentModel) -> Bool { deletedIDs.contains(ObjectIdentifier(member)) }
  func wasRemoved(_ row: Int64) -> Bool { rowsBefore.contains(row) && !rowsAfter.contains(row) }
  func wasAdded(_ row: Int64) -> Bool { !rowsBefore.contains(row) && rowsAfter.contains(row) }
}
