import LarderSQLite
import LarderSupport

// Which to-ones of an object the program has set itself. ``ModelStatus/led`` says that it has set one; the others that have changed
// since the last save, by a list, by the other end of a one-to-one or by a deletion, are noted here.

extension EntityState {
  /// Whether the program itself has set a to-one to its present object since the last save.
  func isLed(_ model: any PersistentModel, _ relation: RelationLayout) -> Bool {
    guard model._$header.pointee.status.contains(.led) else { return false }
    if cededKeys.isEmpty { return true }
    guard let led = cededKeys[RelationPlace(model, relation.property)] else { return true }
    return led == model._$key(relation.property)
  }

  /// Whether a to-one that the program has not set itself gives way to another that others have set: its object was taken out of a
  /// list that it is not in any more, or from an object that was deleted, or left one and came back.
  ///
  /// - Parameters:
  ///   - former: The row that the to-one referred to before its first edit; 0 for none.
  ///   - stored: The row that the to-one refers to in the store; 0 for none.
  func givesWay(
    _ model: any PersistentModel, _ relation: RelationLayout, from former: Int64, to stored: Int64
  ) -> Bool {
    if stored == former || isLed(model, relation) { return false }
    let key = model._$key(relation.property)
    // The other end of a one-to-one may have been set to it by the program.
    return key == 0 ? stored > 0 : relation.mirrored?.isToMany == true && former == key
  }

  /// Notes that a to-one is about to change.
  @inline(__always)
  func noteCeded(_ model: any PersistentModel, _ relation: RelationLayout) {
    if model._$header.pointee.status.contains(.led) { cede(model, relation) }
  }

  @inline(never)
  private func cede(_ model: any PersistentModel, _ relation: RelationLayout) {
    let header = model._$header
    guard header.pointee.status.contains(.stored) || header.pointee.isReturning else { return }
    let place = RelationPlace(model, relation.property)
    if core.relationMarks.led == place || cededKeys[place] != nil { return }
    cededKeys[place] = relation.isEdited(of: model) ? model._$key(relation.property) : EntityState.neverLed
  }

  /// A value that no foreign key has.
  fileprivate static let neverLed = Int64.min

  /// Whether to-ones among some changed properties were set by lists that mirror them, and not by the program.
  func isSetByLists(_ model: any PersistentModel, _ mask: PropertyMask) -> Bool {
    guard model._$header.pointee.status.contains(.led) else { return mask & keyMask != 0 }
    if cededKeys.isEmpty { return false }
    return layout.relations.contains { relation in
      !relation.isToMany && !ModelLayout.sharesBit(relation.property) && mask & relation.bit != 0
        && !isLed(model, relation)
    }
  }
}

extension EntitySaving {
  /// Whether others have led a to-one elsewhere that the program has not set itself, and that gives way to that.
  func hasKeyThatGivesWay(_ model: any PersistentModel, _ mask: PropertyMask) throws -> Bool {
    for relation in state.layout.relations where !relation.isToMany && mask & relation.bit != 0 {
      guard case .key(let column, _) = relation.form, relation.isEdited(of: model), !state.isLed(model, relation)
      else { continue }
      let name = StoreFormat.quoted(state.layout.columns[column].name)
      let sql = "SELECT \(name) FROM \(state.statements.table) WHERE \(StoreFormat.identifierColumn) = ?1"
      let stored = try connection.withStatement(for: sql) { statement in
        statement.bind(1, model._$header.pointee.rowID)
        return try statement.step() && !statement.isNull(0) ? statement.int64(0) : 0
      }
      if state.givesWay(model, relation, from: state.formerKey(of: model, relation), to: stored) { return true }
    }
    return false
  }
}

extension ContextCore {
  /// Sets a to-one as the program does.
  func leading<Result>(
    _ model: any PersistentModel, _ relation: RelationLayout, _ body: () throws -> Result
  ) rethrows -> Result {
    let place = RelationPlace(model, relation.property)
    let former = relationMarks.led
    relationMarks.led = place
    defer { relationMarks.led = former }
    let header = model._$header
    if let state = header.pointee.state {
      if !header.pointee.status.contains(.led), header.pointee.status.contains(.stored) || header.pointee.isReturning,
        header.pointee.changed & ~relation.bit != 0 || ModelLayout.sharesBit(relation.property)
      {
        for other in state.layout.relations where !other.isToMany && other.isEdited(of: model) {
          state.cededKeys[RelationPlace(model, other.property)] = EntityState.neverLed
        }
      }
      if !state.cededKeys.isEmpty { state.cededKeys[place] = nil }
    }
    header.pointee.status.insert(.led)
    return try body()
  }
}
