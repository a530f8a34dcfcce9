import LarderSupport

/// A row that refers to one that is to be deleted, where that rules the deletion out.
package struct DeleteRuleViolation {
  /// The row that is to be deleted.
  let deleted: (tracker: _EntityTracker, row: Int64)
  /// The row that speaks against it, and by which property.
  let blocker: (tracker: _EntityTracker, row: Int64)
  /// The property of `blocker` that refers to the deleted row; nil where it is the deleted one that refers.
  let foreignKey: RelationshipLayout?
  let isDenyRule: Bool
  /// The relationship whose rule says so.
  let relationshipName: String
  /// Whether `blocker` was in the store when this was noted; one that was not may have gone without a trace.
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
