import LarderSupport

/// The changes of pairs of many to many that were made here, gathered from the lists of both ends.
///
/// A pair is in both lists or in neither, so its change is one, though each list has it as a difference to what was read of that
/// list. The two were not read at the same time, and others may have committed between: then one list has the change, and in
/// the other the pair is as it is stored. When what others have saved is taken over, a change that one list has counts for
/// both; and where the store has the pair as it was changed to, the change ends in both.
struct PairEdits {
  /// The end of pairs that an object's list tells.
  private struct End: Hashable {
    let root: Int
    let property: Int
    let row: Int64
  }

  private struct List {
    let state: EntityState
    let relation: RelationLayout
    /// Whether members were put in, by their rows, or taken out.
    var edits: [Int64: Bool] = [:]
    /// Those of the members that the store has in the list, where that was read.
    var stored: Set<Int64>?
  }

  private let core: ContextCore
  private var lists: [End: List] = [:]

  /// - Parameter isChanged: Whether others have changed rows of a model, given by the topmost class's state.
  init(_ core: ContextCore, _ isChanged: (EntityState) -> Bool) {
    self.core = core
    var unloaded: [Source] = []
    var loaded: Set<End> = []
    for state in core.known {
      for former in state.formerRelations.values {
        guard core.isHere(former.model), let relation = state.own(former.model).layout.relation(former.property),
          relation.isLink, let inverse = relation.mirrored,
          let there = core.existingState(for: relation.destinationLayout),
          isChanged(there.root) || isChanged(state.root)
        else { continue }
        let source = Source(model: former.model, state: state, relation: relation, there: there, inverse: inverse)
        switch (former.value, former.model._$relation(former.property)) {
        case (.many(let base?), .many(let present?)):
          loaded.insert(end(source.row, state, relation))
          note(source, from: base, to: present)
        case (_, .many(nil)): unloaded.append(source)
        default: break
        }
      }
    }
    for source in unloaded { noteLinks(source, besides: loaded) }
  }

  /// A list that was changed.
  private struct Source {
    let model: any PersistentModel
    let state: EntityState
    let relation: RelationLayout
    let there: EntityState
    let inverse: RelationLayout
    var row: Int64 { model._$header.pointee.rowID }
  }

  private mutating func note(_ source: Source, _ member: Int64, isIn: Bool) {
    let (end, other) = (
      end(source.row, source.state, source.relation), end(member, source.there, source.inverse)
    )
    lists[end, default: List(state: source.state, relation: source.relation)].edits[member] = isIn
    lists[other, default: List(state: source.there, relation: source.inverse)].edits[source.row] = isIn
  }

  private mutating func note(_ source: Source, from base: [any PersistentModel], to present: [any PersistentModel]) {
    if base.elementsEqual(present, by: ===) { return }
    let (before, after) = (Set(base.map { ObjectIdentifier($0) }), Set(present.map { ObjectIdentifier($0) }))
    for member in present where !before.contains(ObjectIdentifier(member)) && core.isHere(member) {
      note(source, member._$header.pointee.rowID, isIn: true)
    }
    for member in base where !after.contains(ObjectIdentifier(member)) && core.isHere(member) {
      note(source, member._$header.pointee.rowID, isIn: false)
    }
  }

  /// A list that is not loaded does not tell what has left it and come back, or come and left, from what was changed: where the
  /// other end is loaded, that says so.
  private mutating func noteLinks(_ source: Source, besides loaded: Set<End>) {
    let place = RelationPlace(source.model, source.relation.property)
    guard let edit = source.state.own(source.model).linkEdits[place] else { return }
    for member in edit.added where core.isHere(member) {
      let row = member._$header.pointee.rowID
      if !loaded.contains(end(row, source.there, source.inverse)) { note(source, row, isIn: true) }
    }
    for row in edit.removed where !loaded.contains(end(row, source.there, source.inverse)) {
      let member = source.there.find(row).map(source.there.erased)
      if member.map(core.isHere) != false { note(source, row, isIn: false) }
    }
  }

  private func end(_ row: Int64, _ state: EntityState, _ relation: RelationLayout) -> End {
    End(root: state.layout.root.id, property: relation.property, row: row)
  }

  /// Which members were put into an object's list here, at either end, and which were taken out.
  ///
  /// - Parameter stored: What the store has in the list.
  mutating func edits(
    of owner: any PersistentModel, _ state: EntityState, _ relation: RelationLayout, stored: [any PersistentModel]
  ) -> [Int64: Bool] {
    let end = end(owner._$header.pointee.rowID, state, relation)
    guard let edits = lists[end]?.edits else { return [:] }
    lists[end]?.stored = Set(stored.rows.filter { edits[$0] != nil })
    return edits
  }

  /// Has lists that were not read follow their other ends, which were.
  func settle() {
    for (end, list) in lists where list.stored == nil {
      guard let owner = list.state.find(end.row).map(list.state.erased), core.isHere(owner),
        owner._$header.pointee.status.contains(.stored), let inverse = list.relation.mirrored,
        let there = core.existingState(for: list.relation.destinationLayout)
      else { continue }
      var ended: Set<Int64> = []
      var pending: [(member: any PersistentModel, isIn: Bool)] = []
      for (row, isIn) in list.edits {
        guard let stored = lists[self.end(row, there, inverse)]?.stored else { continue }
        if stored.contains(end.row) == isIn {
          ended.insert(row)
        } else if let member = there.find(row).map(there.erased) {
          pending.append((member, isIn))
        }
      }
      let state = list.state.own(owner)
      state.endLinks(with: ended, of: owner, list.relation)
      pending = pending.inOrder { $0.member._$header.pointee.rowID < $1.member._$header.pointee.rowID }
      state.carryOn(pending, in: owner, list.relation)
    }
  }
}

extension EntityState {
  /// Members that were put into a list, or taken out, while it was not loaded are so in the store.
  fileprivate func endLinks(with members: Set<Int64>, of owner: any PersistentModel, _ relation: RelationLayout) {
    let place = RelationPlace(owner, relation.property)
    if members.isEmpty || linkEdits[place] == nil { return }
    linkEdits[place]?.removed.subtract(members)
    linkEdits[place]?.added.removeAll { members.contains($0._$header.pointee.rowID) }
  }

  /// Notes changes of pairs that their other ends tell, and this list does not.
  fileprivate func carryOn(
    _ edits: [(member: any PersistentModel, isIn: Bool)], in owner: any PersistentModel, _ relation: RelationLayout
  ) {
    if edits.isEmpty { return }
    core.unloadIfOutdated(owner, relation)
    let isLoaded = owner._$key(relation.property) != 0
    let edit = linkEdits[RelationPlace(owner, relation.property)]
    let present = Set((isLoaded ? owner.rows(in: relation.property) : edit?.added.rows) ?? [])
    let absent = isLoaded ? nil : edit?.removed ?? []
    let missing = edits.filter { edit in
      let row = edit.member._$header.pointee.rowID
      return edit.isIn ? !present.contains(row) : absent.map { !$0.contains(row) } ?? present.contains(row)
    }
    if missing.isEmpty { return }
    core.relationMarks.listChanges &+= 1
    observe(owner, relation) {
      for (member, isIn) in missing {
        switch (isLoaded, isIn) {
        case (true, true): owner._$change(relation.property, .append(member))
        case (true, false): core.takeOut([member], of: owner, relation)
        case (false, true): noteLink(owner, relation, added: member)
        case (false, false): noteLink(owner, relation, removed: [member])
        }
      }
    }
  }
}
