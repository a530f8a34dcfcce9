import LarderSQLite
import LarderSupport

// Tracking the to-ones that the program has set itself. ``ModelStatus/toOneSet`` marks an object with at least one; the other
// to-ones that changed since the last save, by a list, by the other end of a one-to-one or by a deletion, are recorded here.

extension _EntityTracker {
  /// Whether the program itself has set a to-one to its current object since the last save.
  func isSetExplicitly(_ model: any PersistentModel, _ relationship: RelationshipLayout) -> Bool {
    guard model._$header.pointee.status.contains(.toOneSet) else { return false }
    if implicitlySetKeys.isEmpty { return true }
    guard let led = implicitlySetKeys[RelationshipKey(model, relationship.property)] else { return true }
    return led == model._$foreignKey(relationship.property)
  }

  /// Whether a to-one that the program has not set itself yields to a value that another context has set: its object was removed
  /// from a list that no longer contains it, or from a deleted object, or left an object and came back.
  ///
  /// - Parameters:
  ///   - former: The row that the to-one referenced before its first edit; 0 for none.
  ///   - stored: The row that the to-one references in the store; 0 for none.
  func yieldsToStore(
    _ model: any PersistentModel, _ relationship: RelationshipLayout, from former: Int64, to stored: Int64
  ) -> Bool {
    if stored == former || isSetExplicitly(model, relationship) { return false }
    let key = model._$foreignKey(relationship.property)
    // The program may have set the other end of a one-to-one.
    return key == 0 ? stored > 0 : relationship.inverse?.isToMany == true && former == key
  }

  /// Records that a to-one is about to change without being set by the program.
  @inline(__always)
  func recordImplicitChange(_ model: any PersistentModel, _ relationship: RelationshipLayout) {
    if model._$header.pointee.status.contains(.toOneSet) { markImplicitlySet(model, relationship) }
  }

  @inline(never)
  private func markImplicitlySet(_ model: any PersistentModel, _ relationship: RelationshipLayout) {
    let header = model._$header
    guard header.pointee.status.contains(.stored) || header.pointee.isReinserted else { return }
    let place = RelationshipKey(model, relationship.property)
    if core.relationMarks.toOneBeingSet == place || implicitlySetKeys[place] != nil { return }
    implicitlySetKeys[place] =
      relationship.isEdited(of: model) ? model._$foreignKey(relationship.property) : _EntityTracker.neverSetExplicitly
  }

  /// A value that no foreign key has.
  fileprivate static let neverSetExplicitly = Int64.min

  /// Whether to-ones among the changed properties were set through their inverse lists, and not by the program.
  func isSetThroughInverse(_ model: any PersistentModel, _ mask: _PropertyMask) -> Bool {
    guard model._$header.pointee.status.contains(.toOneSet) else { return mask & toOneMask != 0 }
    if implicitlySetKeys.isEmpty { return false }
    return layout.relationships.contains { relationship in
      !relationship.isToMany && !_ModelLayout.sharesBit(relationship.property) && mask & relationship.bit != 0
        && !isSetExplicitly(model, relationship)
    }
  }
}

extension EntityWriter {
  /// Whether another context has changed a to-one that the program has not set itself, and that yields to the stored value.
  func hasYieldingKey(_ model: any PersistentModel, _ mask: _PropertyMask) throws -> Bool {
    for relationship in tracker.layout.relationships where !relationship.isToMany && mask & relationship.bit != 0 {
      guard case .foreignKey(let column, _) = relationship.storage, relationship.isEdited(of: model),
        !tracker.isSetExplicitly(model, relationship)
      else { continue }
      let name = StoreFormat.quoted(tracker.layout.columns[column].name)
      let sql = "SELECT \(name) FROM \(tracker.statements.table) WHERE \(StoreFormat.identifierColumn) = ?1"
      let stored = try connection.withStatement(for: sql) { statement in
        statement.bind(1, model._$header.pointee.rowID)
        return try statement.step() && !statement.isNull(0) ? statement.int64(0) : 0
      }
      if tracker.yieldsToStore(model, relationship, from: tracker.originalKey(of: model, relationship), to: stored) {
        return true
      }
    }
    return false
  }
}

extension _ContextCore {
  /// Sets a to-one on behalf of the program.
  func settingExplicitly<Result>(
    _ model: any PersistentModel, _ relationship: RelationshipLayout, _ body: () throws -> Result
  ) rethrows -> Result {
    let place = RelationshipKey(model, relationship.property)
    let former = relationMarks.toOneBeingSet
    relationMarks.toOneBeingSet = place
    defer { relationMarks.toOneBeingSet = former }
    let header = model._$header
    if let tracker = header.pointee.tracker {
      if !header.pointee.status.contains(.toOneSet),
        header.pointee.status.contains(.stored) || header.pointee.isReinserted,
        header.pointee.changedMask & ~relationship.bit != 0 || _ModelLayout.sharesBit(relationship.property)
      {
        for other in tracker.layout.relationships where !other.isToMany && other.isEdited(of: model) {
          tracker.implicitlySetKeys[RelationshipKey(model, other.property)] = _EntityTracker.neverSetExplicitly
        }
      }
      if !tracker.implicitlySetKeys.isEmpty { tracker.implicitlySetKeys[place] = nil }
    }
    header.pointee.status.insert(.toOneSet)
    return try body()
  }
}
