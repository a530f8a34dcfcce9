import LarderSupport

// Which to-ones of an object the program has set itself. ``ModelStatus/led`` says that it has set one; the others that have changed
// since the last save, by a list, by the other end of a one-to-one or by a deletion, are noted here.

extension EntityState {
  /// Whether the program has set a to-one itself since the last save.
  func isLed(_ model: any PersistentModel, _ relation: RelationLayout) -> Bool {
    model._$header.pointee.status.contains(.led)
      && (cededKeys.isEmpty || !cededKeys.contains(RelationPlace(model, relation.property)))
  }

  /// Whether to-ones among some changed properties were set by lists that mirror them, and not by the program.
  func isSetByLists(_ model: any PersistentModel, _ mask: UInt64) -> Bool {
    guard model._$header.pointee.status.contains(.led) else { return mask & keyMask != 0 }
    if cededKeys.isEmpty { return false }
    return layout.relations.contains { relation in
      !relation.isToMany && !ModelLayout.sharesBit(relation.property) && mask & relation.bit != 0
        && !isLed(model, relation)
    }
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
      if !header.pointee.status.contains(.led), header.pointee.status.contains(.stored),
        header.pointee.changed & ~relation.bit != 0
      {
        for other in state.layout.relations where !other.isToMany && other.isEdited(of: model) {
          state.cededKeys.insert(RelationPlace(model, other.property))
        }
      }
      if !state.cededKeys.isEmpty { state.cededKeys.remove(place) }
    }
    header.pointee.status.insert(.led)
    return try body()
  }

  /// Notes that a to-one is about to change, by the program or by what follows from another change.
  @inline(__always)
  func noteCeded(_ model: any PersistentModel, _ relation: RelationLayout) {
    let status = model._$header.pointee.status
    guard status.contains(.led), status.contains(.stored) else { return }
    let place = RelationPlace(model, relation.property)
    if relationMarks.led != place { model._$header.pointee.state?.cededKeys.insert(place) }
  }
}
