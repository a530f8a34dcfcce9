import LarderSupport

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
  /// Whether `other` was in the store when this was noted; one that was not may have gone without a trace.
  let isOtherStored: Bool

  init(
    deleted: (state: EntityState, row: Int64), other: (state: EntityState, row: Int64), key: RelationLayout?,
    isDenied: Bool, name: String
  ) {
    self.deleted = deleted
    self.other = other
    self.key = key
    self.isDenied = isDenied
    self.name = name
    let instance = other.state.find(other.row).map(other.state.erased)
    isOtherStored = instance?._$header.pointee.status.contains(.stored) ?? true
  }
}
