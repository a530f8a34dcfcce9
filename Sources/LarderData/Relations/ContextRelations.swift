/// What a context keeps for the relationships of its objects.
@usableFromInline
package struct ContextRelations {
  /// What to-manys that are loaded now are marked with; 0 while a deletion has still to be carried to the objects that
  /// are related to what was deleted, so that none is shown before.
  @usableFromInline package internal(set) var stamp: UInt32 = 1
  private var generation: UInt32 = 1
  package private(set) var hasUnspreadDeletions = false

  package var kept = KeptObjects()
  package var linkHolders = LinkHolders()
  /// Why the next save must not delete what it is about to; asked again then.
  package var objections: [Objection] = []

  /// Somebody else has committed: to-manys are loaded anew when they are next asked for.
  package mutating func othersCommitted() {
    generation &+= 1
    if generation == 0 { generation = 1 }
    if stamp != 0 { stamp = generation }
  }

  package mutating func deletionBegan() {
    hasUnspreadDeletions = true
    stamp = 0
  }

  package mutating func deletionsSpread() {
    hasUnspreadDeletions = false
    stamp = generation
  }
}

/// A row that refers to one that is to be deleted, where that rules the deletion out.
package struct Objection {
  /// The row that is to be deleted.
  let deleted: (state: EntityState, row: Int64)
  /// The row that speaks against it, and by which property.
  let other: (state: EntityState, row: Int64)
  /// The property of `other` that refers to the deleted row; nil where it is the deleted one that refers.
  let key: RelationLayout?
  let isDenied: Bool
  /// The relationship whose rule says so.
  let name: String
}
