/// A to-many that a step restores.
struct StepList {
  let owner: any PersistentModel
  let state: EntityState
  let relation: RelationLayout
  let former: FormerList
}

/// A to-many as a step tells of it, with the objects that are there.
struct FormerList {
  /// The members before the step that are there, in their order.
  let members: [any PersistentModel]
  let before: Set<Int64>
  private let after: Set<Int64>
  /// What the store had in it.
  private let stored: Set<Int64>
  /// Whether this context has saved since, so that it may be itself who changed what is stored.
  private let hasSaved: Bool
  private let back: Set<ObjectIdentifier>
  private let going: Set<ObjectIdentifier>
  /// Whether some member comes back.
  let hasBack: Bool

  /// - Parameters:
  ///   - back: The objects that come back with this step.
  ///   - going: Those that go with it.
  init(
    _ list: ObjectChange.List, hasSaved: Bool, object: (Int64) -> (any PersistentModel)?,
    back: Set<ObjectIdentifier>, going: Set<ObjectIdentifier>
  ) {
    members = list.before.compactMap(object)
    before = Set(list.before)
    after = Set(list.after)
    stored = list.stored.map { Set($0) } ?? before
    self.hasSaved = hasSaved
    self.back = back
    self.going = going
    hasBack = members.contains { back.contains(ObjectIdentifier($0)) }
  }

  func isBack(_ member: any PersistentModel) -> Bool { back.contains(ObjectIdentifier(member)) }

  /// Whether a pair that is not stored by now was, and others have taken it out.
  func isParted(_ row: Int64) -> Bool { !hasSaved && stored.contains(row) }
  /// Whether a pair that is stored was not, so that others have put it in.
  func isJoined(_ row: Int64) -> Bool { !hasSaved && !stored.contains(row) && !before.contains(row) }
  func isGoing(_ member: any PersistentModel) -> Bool { going.contains(ObjectIdentifier(member)) }
  func wasTakenOut(_ row: Int64) -> Bool { before.contains(row) && !after.contains(row) }
  func wasPutIn(_ row: Int64) -> Bool { !before.contains(row) && after.contains(row) }
}
