/// Edits that lead to what the store has anyway, as a step leaves them that was taken back: objects are as they were, and
/// count as changed no more. A save would write rows that nobody changed, and give others something to merge.
struct IdleEdits {
  private let core: ContextCore
  private var stored: StoredLists

  init(_ core: ContextCore) {
    self.core = core
    stored = StoredLists(core)
  }

  /// - Returns: The objects' places, and the properties that are not edited any more.
  mutating func drop() throws -> [(place: RowPlace, layout: ModelLayout, mask: UInt64)] {
    var dropped: [(place: RowPlace, layout: ModelLayout, mask: UInt64)] = []
    try readLists()
    for state in core.known where !state.changed.isEmpty {
      for object in state.changed {
        let model = state.erased(object)
        guard isEdited(model, state) else { continue }
        let mask = try idleEdits(of: model, state)
        if mask == 0 { continue }
        unloadOutdated(mask, of: model, state)
        state.dropEdits(of: model, among: mask)
        dropped.append((RowPlace(state, model._$header.pointee.rowID), state.layout, mask))
      }
      state.dropUnchanged()
    }
    if dropped.isEmpty { return [] }
    if !core.hasChanges { core.changesEnded() }
    return dropped
  }

  /// As long as they were edited, relationships were what they were when others had not yet changed them.
  private func unloadOutdated(_ mask: UInt64, of model: any PersistentModel, _ state: EntityState) {
    for relation in state.layout.relations where relation.bit & mask != 0 {
      guard let former = state.formerRelations[RelationPlace(model, relation.property)], former.generation != 0,
        former.generation != Int64(core.relations.generation)
      else { continue }
      state.observe(model, relation.property) {
        model._$change(relation.property, relation.isToMany ? .objects(nil, generation: 0) : .key(ToOneKey.unknown))
      }
    }
  }

  /// Whether an object counts as changed. One that has not the values of its row by now is what a save, or a rollback,
  /// makes of it.
  private func isEdited(_ model: any PersistentModel, _ state: EntityState) -> Bool {
    let header = model._$header
    return header.pointee.status.isSuperset(of: [.stored, .changed]) && !header.pointee.status.contains(.deleted)
      && !state.root.leftBehind.contains(header.pointee.rowID)
  }

  private mutating func idleEdits(of model: any PersistentModel, _ state: EntityState) throws -> UInt64 {
    var mask: UInt64 = 0
    var rest = model._$header.pointee.changed
    while rest != 0 {
      let bit = rest & (0 &- rest)
      rest &= ~bit
      guard let entry = state.undo.entry(of: model._$header.pointee.place, bit),
        state.undo.values(of: entry).elementsEqual(state.values(of: model, bit))
      else { continue }
      // Several may share it.
      let areAllIdle = try state.layout.properties.allSatisfy { property in
        try property.bit != bit || isIdle(property, of: model, state)
      }
      if areAllIdle { mask |= bit }
    }
    return mask
  }

  /// Whether what has no column is as it was before it was changed, or as the store has it.
  private mutating func isIdle(
    _ property: PropertyLayout, of model: any PersistentModel, _ state: EntityState
  ) throws -> Bool {
    guard let former = state.formerRelations[RelationPlace(model, property.index)] else { return true }
    let row = model._$header.pointee.rowID
    switch (former.value, model._$relation(property.index)) {
    case (.held(let before?), .held(let now?)): return property.codec.isSame(held: before, now)
    case (.one(let before, _), .one(let now, _)):
      if before == now || now == ToOneKey.unknown { return true }
      guard let relation = property.relation else { return false }
      return try stored.members(relation, of: row, state) == (now > 0 ? [now] : [])
    case (.many(let before?), .many(let now?)) where before.elementsEqual(now, by: ===): return true
    case (.many, .many(let now?)):
      guard let relation = property.relation else { return false }
      return try stored.members(relation, of: row, state) == now.map { $0._$header.pointee.rowID }
    case (.many(nil), .many(nil)):
      guard let edit = state.linkEdits[RelationPlace(model, property.index)] else { return true }
      return edit.added.isEmpty && edit.removed.isEmpty
    default: return false
    }
  }

  /// Asks for all lists that are compared with the store, before the first one is.
  private mutating func readLists() throws {
    for state in core.known {
      for former in state.formerRelations.values where isEdited(former.model, state) {
        guard let relation = state.layout.relation(former.property) else { continue }
        switch (former.value, former.model._$relation(former.property)) {
        case (.many(let before?), .many(let now?)) where before.elementsEqual(now, by: ===): continue
        case (.many, .many(_?)): break
        case (.one(let before, _), .one(let now, _)) where before != now && now != ToOneKey.unknown: break
        default: continue
        }
        stored.want(relation, of: former.model._$header.pointee.rowID, state)
      }
    }
    try stored.read()
  }
}
