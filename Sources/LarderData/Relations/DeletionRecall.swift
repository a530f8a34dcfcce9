import LarderSQLite

// A deletion that is taken back before it was saved: what followed from it is taken back, too. Where a relationship has
// an order, the object stands last in it. What somebody asked for, before or since, stays as it is.

extension EntityState {
  /// Takes a pending deletion back.
  func restore(_ model: any PersistentModel) {
    do {
      // What follows from this deletion and others is known then; this one may follow from another.
      try core.spreadDeletions()
      guard model._$header.pointee.state == nil || model._$header.pointee.status.contains(.deleted) else { return }
      // One that was never saved has left with that.
      if model._$header.pointee.state == nil {
        _ = core.adopt(model, isRevived: true)
      } else {
        var recall = DeletionRecall(core)
        try recall.run(model, self)
      }
    } catch {
      if core.faultError == nil { core.faultError = error }
    }
  }
}

private struct DeletionRecall {
  typealias Reference = DeletionConsequences.Reference
  private typealias Restored = (model: any PersistentModel, state: EntityState)

  private let core: ContextCore
  private var restored: [Restored] = []
  private var references: [Reference] = []
  private var joins = Joins()

  init(_ core: ContextCore) { self.core = core }

  mutating func run(_ model: any PersistentModel, _ state: EntityState) throws {
    try revive((model, state.own(model)))
    for reference in references { relate(reference) }
    for (model, state) in restored {
      for relation in state.layout.relations { try recall(relation, of: model, state) }
    }
    joins.carryOut(core)
  }

  // MARK: What is back

  /// The object, what was deleted along with it, and what was with that.
  private mutating func revive(_ first: Restored) throws {
    var wave = [first]
    while !wave.isEmpty {
      var rows: [(state: EntityState, rows: [Int64])] = []
      for (model, state) in wave {
        let row = model._$header.pointee.rowID
        model._$header.pointee.status.remove(.deleted)
        state.deletedRows.remove(row)
        for consequence in core.relations.consequences.take(RowPlace(state, row)) {
          switch consequence {
          case .parted(let reference): references.append(reference)
          case .deleted(let there, let other):
            if !there.isDeleted(other) || core.relations.consequences.isMeant(RowPlace(there, other)) { continue }
            if rows.last?.state !== there { rows.append((there, [])) }
            rows[rows.count - 1].rows.append(other)
          }
        }
      }
      restored += wave
      wave = try rows.flatMap { group in
        try instances(group.rows, group.state).filter(isDeleted).map { ($0, group.state.own($0)) }
      }
    }
    var states: [ObjectIdentifier: EntityState] = [:]
    for (_, state) in restored { states[ObjectIdentifier(state)] = state }
    for state in states.values { state.forgetDeletedInstances() }
  }

  private func instances(_ rows: [Int64], _ there: EntityState) throws -> [any PersistentModel] {
    let loaded = try there.loadRows(rows.filter { there.find($0) == nil })
    defer { withExtendedLifetime(loaded) {} }
    return rows.compactMap { there.find($0).map(there.erased) }
  }

  // MARK: Its own ends

  /// An object keeps its relationships as they were when it was deleted: the other ends follow them, unless they have
  /// another by now.
  private mutating func recall(
    _ relation: RelationLayout, of model: any PersistentModel, _ state: EntityState
  ) throws {
    let there = try core.state(for: relation.destinationLayout)
    let row = model._$header.pointee.rowID
    switch relation.form {
    case .key:
      let key = model._$key(relation.property)
      guard key > 0 else { return }
      let reference = Reference(holder: (state, row), relation: relation, target: (there, key))
      if there.isDeleted(key) {
        core.setKey(model, state, relation, 0)
        return core.relations.consequences.postpone(reference, until: RowPlace(there, key))
      }
      if hasDeparted(there, key) || !relate(reference) { core.setKey(model, state, relation, 0) }
    case .mirror(let key):
      keepOnlyOwn(relation, key, of: model, state, there)
    case .link(let table, let isSource):
      if case .many(let members?) = model._$relation(relation.property) {
        return recall(members, relation, of: model, state, there)
      }
      let edit = state.own(model).linkEdits[RelationPlace(model, relation.property)]
      recall(edit?.added ?? [], relation, of: model, state, there)
      guard let inverse = relation.mirrored else { return }
      for other in try core.linkedRows(of: [row], table, isSource: isSource).map(\.other) {
        if edit?.removed.contains(other) == true { continue }
        if there.isDeleted(other) {
          postpone(other, there, relation, model, state)
        } else if let other = there.find(other).map(there.erased) {
          joins.add(model, to: other, there, inverse)
        }
      }
    }
  }

  /// What a list has in it, or what was added to it since it was saved.
  private mutating func recall(
    _ members: [any PersistentModel], _ relation: RelationLayout, of model: any PersistentModel,
    _ state: EntityState, _ there: EntityState
  ) {
    for member in members {
      if isHere(member), !isDeleted(member) {
        if let inverse = relation.mirrored { joins.add(model, to: member, there, inverse) }
        continue
      }
      core.leave(model, state, relation, member)
      // One that was never saved left with its own deletion.
      if isHere(member) { postpone(member._$header.pointee.rowID, there, relation, model, state) }
    }
  }

  /// One that is deleted comes to it when it is back.
  private func postpone(
    _ other: Int64, _ there: EntityState, _ relation: RelationLayout, _ model: any PersistentModel,
    _ state: EntityState
  ) {
    let reference = Reference(
      holder: (state, model._$header.pointee.rowID), relation: relation, target: (there, other))
    core.relations.consequences.postpone(reference, until: RowPlace(there, other))
  }

  /// While an object is deleted, nobody takes out of it what others take.
  private func keepOnlyOwn(
    _ relation: RelationLayout, _ key: Int, of model: any PersistentModel, _ state: EntityState, _ there: EntityState
  ) {
    guard let key = there.layout.relation(key) else { return }
    let row = model._$header.pointee.rowID
    func isOwn(_ other: any PersistentModel) -> Bool {
      !isDeleted(other) && ToOneKey.shown(other._$key(key.property)) == row
    }
    switch model._$relation(relation.property) {
    case .many(let members?):
      let own = members.filter(isOwn)
      guard own.count < members.count else { return }
      // One that was not changed is loaded anew, so that a rollback need not know of this.
      let isChanged = model._$header.pointee.changed & relation.bit != 0
      model._$change(
        relation.property, .objects(isChanged ? own : nil, generation: isChanged ? core.relations.generation : 0))
    case .one(let other, _) where other > 0:
      let isLost = there.find(other).map(there.erased).map { !isOwn($0) } ?? hasDeparted(there, other)
      if isLost { core.setKey(model, state, relation, 0) }
    default: break
    }
  }

  // MARK: Related again

  /// Relates two objects again that a deletion has parted, or will as soon as both are back.
  ///
  /// - Returns: Whether they are; one of them may have another by now.
  @discardableResult
  private mutating func relate(_ reference: Reference) -> Bool {
    let (relation, inverse) = (reference.relation, reference.relation.mirrored)
    let (there, here) = (reference.target.state, reference.holder.state)
    for (state, row) in [reference.holder, reference.target] where state.isDeleted(row) {
      core.relations.consequences.postpone(reference, until: RowPlace(state, row))
      return true
    }
    let holder = here.find(reference.holder.row).map(here.erased)
    let target = there.find(reference.target.row).map(there.erased)
    // Of what nobody holds, nothing was changed.
    guard let holder else { return true }
    if !relation.isToMany, !isFree(holder, relation, for: reference.target.row) { return false }
    if let target, let inverse, !inverse.isToMany, !isFree(target, inverse, for: reference.holder.row) { return false }
    let isHolderMoved = !relation.isToMany && setKey(holder, here, relation, reference.target.row)
    var isTargetMoved = false
    if let target, let inverse, !inverse.isToMany {
      isTargetMoved = setKey(target, there, inverse, reference.holder.row)
    }
    guard let target else { return true }
    if relation.isToMany { joins.add(target, to: holder, here, relation, isMoved: isTargetMoved) }
    if let inverse, inverse.isToMany { joins.add(holder, to: target, there, inverse, isMoved: isHolderMoved) }
    return true
  }

  /// - Returns: Whether it had another.
  private func setKey(
    _ model: any PersistentModel, _ state: EntityState, _ relation: RelationLayout, _ row: Int64
  ) -> Bool {
    guard model._$key(relation.property) != row else { return false }
    core.setKey(model, state, relation, row)
    return true
  }

  private func isFree(_ model: any PersistentModel, _ relation: RelationLayout, for row: Int64) -> Bool {
    let key = model._$key(relation.property)
    return key == 0 || key == ToOneKey.unknown || ToOneKey.shown(key) == row
  }

  private func hasDeparted(_ state: EntityState, _ row: Int64) -> Bool {
    core.relations.consequences.hasDeparted(RowPlace(state, row))
  }

  private func isHere(_ model: any PersistentModel) -> Bool { model._$header.pointee.state?.core === core }
  private func isDeleted(_ model: any PersistentModel) -> Bool { model._$header.pointee.status.contains(.deleted) }
}

/// What enters to-manys, together for each: a list of thousands is looked through once.
private struct Joins {
  private typealias List = (
    owner: any PersistentModel, state: EntityState, relation: RelationLayout,
    members: [(model: any PersistentModel, isMoved: Bool)]
  )

  private var lists: [List] = []
  private var places: [RelationPlace: Int] = [:]

  /// - Parameter isMoved: Whether the member was given its key to the owner just now.
  mutating func add(
    _ member: any PersistentModel, to owner: any PersistentModel, _ state: EntityState, _ relation: RelationLayout,
    isMoved: Bool = false
  ) {
    let place = RelationPlace(owner, relation.property)
    if let known = places[place] {
      lists[known].members.append((member, isMoved))
    } else {
      places[place] = lists.count
      lists.append((owner, state, relation, [(member, isMoved)]))
    }
  }

  func carryOut(_ core: ContextCore) {
    for (owner, state, relation, members) in lists {
      let absent: [any PersistentModel]
      if case .many(let present?) = owner._$relation(relation.property) {
        // A list that is let go and loaded again has those last that were moved: it is not, if it was changed.
        if members.contains(where: \.isMoved) { state.own(owner).noteChange(owner, relation) }
        var known = Set(present.map { ObjectIdentifier($0) })
        absent = members.map(\.model).filter { known.insert(ObjectIdentifier($0)).inserted }
      } else {
        // Not loaded: the store and what is pending have those that were not taken out.
        let removed = state.own(owner).linkEdits[RelationPlace(owner, relation.property)]?.removed ?? []
        absent = members.filter { $0.isMoved || removed.contains($0.model._$header.pointee.rowID) }.map(\.model)
      }
      for member in absent { core.join(owner, state, relation, member) }
    }
  }
}
