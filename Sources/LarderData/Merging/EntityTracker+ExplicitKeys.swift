import LarderSQLite
import LarderSupport

// Which to-ones of an object the program has set itself. ``ModelStatus/led`` says that it has set one; the others that have changed
// since the last save, by a list, by the other end of a one-to-one or by a deletion, are noted here.

extension _EntityTracker {
  /// Whether the program itself has set a to-one to its present object since the last save.
  func isSetExplicitly(_ model: any PersistentModel, _ relationship: RelationshipLayout) -> Bool {
    guard model._$header.pointee.status.contains(.toOneSet) else { return false }
    if implicitlySetKeys.isEmpty { return true }
    guard let led = implicitlySetKeys[RelationshipKey(model, relationship.property)] else { return true }
    return led == model._$foreignKey(relationship.property)
  }

  /// Whether a to-one that the program has not set itself gives way to another that others have set: its object was taken out of a
  /// list that it is not in any more, or from an object that was deleted, or left one and came back.
  ///
  /// - Parameters:
  ///   - former: The row that the to-one referred to before its first edit; 0 for none.
  ///   - stored: The row that the to-one refers to in the store; 0 for none.
  func yieldsToStore(
    _ model: any PersistentModel, _ relationship: RelationshipLayout, from former: Int64, to stored: Int64
  ) -> Bool {
    if stored == former || isSetExplicitly(model, relationship) { return false }
    let key = model._$foreignKey(relationship.property)
    // The other end of a one-to-one may have been set to it by the program.
    return key == 0 ? stored > 0 : relationship.inverse?.isToMany == true && former == key
  }

  /// Notes that a to-one is about to change.
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

  /// Whether to-ones among some changed properties were set by lists that mirror them, and not by the program.
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
  /// Whether others have led a to-one elsewhere that the program has not set itself, and that gives way to that.
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
  /// Sets a to-one as the program does.
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
