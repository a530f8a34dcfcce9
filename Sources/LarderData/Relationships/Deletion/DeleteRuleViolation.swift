import LarderSupport

/// A reference that prevents a deletion: a `.deny` rule, or a non-optional relationship.
package struct DeleteRuleViolation {
  /// The row to be deleted.
  let deleted: (tracker: _EntityTracker, row: Int64)
  /// The row that prevents the deletion.
  let blocker: (tracker: _EntityTracker, row: Int64)
  /// The property of `blocker` that references the deleted row; `nil` if the reference is in the deleted row or a join table.
  let foreignKey: RelationshipLayout?
  let isDenyRule: Bool
  /// The relationship with the rule `.deny`, or the non-optional one.
  let relationshipName: String
  /// Whether `blocker` was in the store when this was recorded; one that was not may have gone without a trace.
  let isBlockerStored: Bool

  init(
    deleted: (tracker: _EntityTracker, row: Int64), blocker other: (tracker: _EntityTracker, row: Int64),
    foreignKey key: RelationshipLayout?,
    isDenyRule isDenied: Bool, relationshipName name: String
  ) {
    self.deleted = deleted
    self.blocker = other
    self.foreignKey = key
    self.isDenyRule = isDenied
    self.relationshipName = name
    let instance = other.tracker.find(other.row).map(other.tracker.erased)
    isBlockerStored = instance?._$header.pointee.status.contains(.stored) ?? true
  }
}
