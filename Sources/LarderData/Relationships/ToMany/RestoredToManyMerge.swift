import LarderSupport

/// Merges lists over a join table that were changed here before their owners were deleted. Other contexts may have changed
/// them while they were hidden, since nothing is merged into deleted objects.
struct RestoredToManyMerge {
  private let core: _ContextCore
  private var stored: StoredMembers

  init(_ core: _ContextCore) {
    self.core = core
    stored = StoredMembers(core)
  }

  /// Reads the present stored members of the lists of restored objects, with one statement for each relationship.
  mutating func read(_ owners: [(model: any PersistentModel, tracker: _EntityTracker)]) throws {
    for (owner, tracker) in owners {
      for relationship in tracker.layout.relationships where needsMerge(owner, tracker, relationship) {
        stored.request(relationship, of: owner._$header.pointee.rowID, tracker)
      }
    }
    try stored.read()
  }

  /// Merges other contexts' changes into a list, if it waits for that.
  mutating func merge(
    _ relationship: RelationshipLayout, of owner: any PersistentModel, _ tracker: _EntityTracker,
    _ there: _EntityTracker
  ) throws {
    guard needsMerge(owner, tracker, relationship) else { return }
    let rows = try stored.members(relationship, of: owner._$header.pointee.rowID, tracker)
    // Including deleted members, which may be restored.
    let members = Dictionary(
      try there.loadRows(rows.inOrder()).map { ($0._$header.pointee.rowID, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    tracker.mergeToMany(rows.compactMap { members[$0] }, rows, into: owner, relationship)
  }

  private func needsMerge(_ owner: any PersistentModel, _ tracker: _EntityTracker, _ relationship: RelationshipLayout)
    -> Bool
  {
    guard relationship.usesJoinTable, owner._$header.pointee.status.contains(.stored),
      let former = tracker.originalRelationships[RelationshipKey(owner, relationship.property)],
      former.mergedGeneration != core.relationMarks.generation, case .many(_?) = former.value,
      case .many(_?) = owner._$relationshipValue(relationship.property)
    else { return false }
    return true
  }
}
