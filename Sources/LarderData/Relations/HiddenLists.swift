import LarderSupport

/// Lists of pairs that were changed here before their owners were deleted, and that others may have changed while they were
/// hidden: nothing is merged into what is deleted.
struct HiddenLists {
  private let core: ContextCore
  private var stored: StoredLists

  init(_ core: ContextCore) {
    self.core = core
    stored = StoredLists(core)
  }

  /// Reads what the store has by now in the lists of objects that are back, by a statement for each relationship.
  mutating func read(_ owners: [(model: any PersistentModel, state: EntityState)]) throws {
    for (owner, state) in owners {
      for relation in state.layout.relations where isBehind(owner, state, relation) {
        stored.want(relation, of: owner._$header.pointee.rowID, state)
      }
    }
    try stored.read()
  }

  /// Merges what others saved into a list, if it waits for that.
  mutating func merge(
    _ relation: RelationLayout, of owner: any PersistentModel, _ state: EntityState, _ there: EntityState
  ) throws {
    guard isBehind(owner, state, relation) else { return }
    let rows = try stored.members(relation, of: owner._$header.pointee.rowID, state)
    // With those that are deleted, which may come back.
    let members = Dictionary(
      try there.loadRows(rows.inOrder()).map { ($0._$header.pointee.rowID, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    state.merge(rows.compactMap { members[$0] }, rows, into: owner, relation)
  }

  private func isBehind(_ owner: any PersistentModel, _ state: EntityState, _ relation: RelationLayout) -> Bool {
    guard relation.isLink, owner._$header.pointee.status.contains(.stored),
      let former = state.formerRelations[RelationPlace(owner, relation.property)],
      former.mergedGeneration != core.relationMarks.generation, case .many(_?) = former.value,
      case .many(_?) = owner._$relation(relation.property)
    else { return false }
    return true
  }
}
