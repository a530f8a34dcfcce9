import LarderSQLite
import LarderSupport

// A deletion that is taken back before it was saved: what followed from it is taken back, too. Where a relationship has
// an order, the object stands last in it. What somebody asked for, before or since, stays as it is.

extension ContextCore {
  /// Takes a pending deletion back.
  func restore(_ model: any PersistentModel) {
    // By a type's own coding, in the midst of work: once that is done.
    if isQuiet { return relations.waiting.append(.restore(model)) }
    // Most are here, and no deletion that may take them along has still to be carried out.
    if !relationMarks.hasUnspreadDeletions, !model._$header.pointee.status.contains(.deleted) { return }
    recall {
      // What follows from this deletion and others is known then; this one may follow from another.
      try spreadDeletions()
      guard let state = model._$header.pointee.state else { return admit(model) }
      guard model._$header.pointee.status.contains(.deleted) else { return }
      var recall = DeletionRecall(self)
      try recall.run(model, state.own(model))
    }
    pendingChanged()
    if !hasChanges { changesEnded() }
  }

  /// Inserts an object that is in no context. If it was in this one, and was deleted before it was ever saved, what
  /// followed from that is taken back.
  func admit(_ model: any PersistentModel) {
    guard let place = relations.consequences.formerPlace(of: model) else {
      _ = adopt(model, isRevived: true)
      return
    }
    recall {
      try spreadDeletions()
      var recall = DeletionRecall(self)
      try recall.run(model, leftFrom: place)
    }
    pendingChanged()
  }

  private func recall(_ body: () throws -> Void) {
    quietly {
      do {
        try recalling(body)
      } catch {
        if faultError == nil { faultError = error }
      }
    }
  }

  /// Does what is done because a deletion is taken back, and not because somebody asks for it.
  func recalling(_ body: () throws -> Void) rethrows {
    try during(.restoring) { try body() }
  }
}

/// What followed from deletions that are taken back, as it is taken back itself.
struct DeletionRecall {
  private typealias Reference = DeletionConsequences.Reference
  private typealias Restored = (model: any PersistentModel, state: EntityState)

  private let core: ContextCore
  private var restored: [Restored] = []
  private var references: [Reference] = []
  private var joins = ListJoins()

  init(_ core: ContextCore) { self.core = core }

  mutating func run(_ model: any PersistentModel, _ state: EntityState) throws {
    try revive([(model, state)])
    try relateAll()
  }

  /// For an object that was never saved, and has no row to come back to.
  mutating func run(_ model: any PersistentModel, leftFrom place: RowPlace) throws {
    try revive([], follow(core.relations.consequences.take(place)))
    let state = try core.state(for: type(of: model)._$layout)
    for relation in state.layout.relations { dropDeleted(relation, of: model) }
    guard core.adopt(model, isRevived: true) else { return }
    let row = model._$header.pointee.rowID
    for index in references.indices {
      if RowPlace(references[index].holder.state, references[index].holder.row) == place {
        references[index].holder = (state, row)
      }
      if RowPlace(references[index].target.state, references[index].target.row) == place {
        references[index].target = (state, row)
      }
    }
    try relateAll()
  }

  /// The objects that are back.
  var revived: [any PersistentModel] { restored.map(\.model) }

  /// Brings back what went along with deletions that are taken back already, but for the other ends of its relationships.
  mutating func revive(_ consequences: [DeletionConsequences.Consequence]) throws {
    if !consequences.isEmpty { try revive([], follow(consequences)) }
  }

  /// Relates again what these deletions, and those that followed from them, have parted.
  mutating func relate() throws {
    if restored.isEmpty, references.isEmpty { return }
    references = references.filter(isStored)
    try core.recalling { try relateAll() }
  }

  /// Whether a reference that a deletion has parted is still what the store has, as far as that is known. A to-one that is not
  /// edited shows what the store has; an edited one has it as its original value.
  private func isStored(_ reference: Reference) -> Bool {
    let relation = reference.relation
    guard case .key = relation.form, let object = reference.holder.state.find(reference.holder.row) else { return true }
    let model = reference.holder.state.erased(object)
    let state = reference.holder.state.own(model)
    if reference.wasStored, state.isAsStored(model, relation) {
      return ToOneKey.shown(model._$key(relation.property)) == reference.target.row
    }
    guard !ModelLayout.sharesBit(relation.property), model._$header.pointee.status.contains(.changed),
      let entry = state.undo.entry(of: model._$header.pointee.place, relation.bit)
    else { return true }
    return state.undo.values(of: entry).elementsEqual([.integer(reference.target.row)])
  }

  private mutating func relateAll() throws {
    // Others may have parted since what the store related then.
    for reference in references where !reference.wasStored || isStored(reference) { relate(reference) }
    var unloaded: [UnloadedList] = []
    var hidden = HiddenLists(core)
    try hidden.read(restored)
    for (model, state) in restored {
      for relation in state.layout.relations { try recall(relation, of: model, state, &unloaded, &hidden) }
    }
    for list in unloaded { try recall(list) }
    try joins.carryOut(core)
  }

  // MARK: What is back

  private typealias Rows = [ObjectIdentifier: (state: EntityState, rows: [Int64])]

  /// The objects, what was deleted along with them, and what was with that.
  private mutating func revive(_ first: [Restored], _ rows: Rows = [:]) throws {
    var wave = try first + instances(rows)
    while !wave.isEmpty {
      var next: Rows = [:]
      for (model, state) in wave where isDeleted(model) {
        let row = model._$header.pointee.rowID
        model._$header.pointee.status.remove(.deleted)
        state.deletedRows.remove(row)
        core.touch(row, state)
        state.pendingEnded()
        restored.append((model, state))
        next.merge(follow(core.relations.consequences.take(RowPlace(state, row)))) { ($0.state, $0.rows + $1.rows) }
      }
      wave = try instances(next)
    }
    if restored.count == 1, let (model, state) = restored.first { return state.deleted.removeInstance(model) }
    var states: [ObjectIdentifier: EntityState] = [:]
    for (_, state) in restored { states[ObjectIdentifier(state)] = state }
    for state in states.values { state.forgetDeletedInstances() }
  }

  /// Notes what is to be related again.
  ///
  /// - Returns: The rows that are to come back.
  private mutating func follow(_ consequences: [DeletionConsequences.Consequence]) -> Rows {
    var rows: Rows = [:]
    for consequence in consequences {
      switch consequence {
      case .parted(let reference): references.append(reference)
      case .deleted(let there, let row): rows[ObjectIdentifier(there), default: (there, [])].rows.append(row)
      }
    }
    return rows
  }

  private func instances(_ rows: Rows) throws -> [Restored] {
    try rows.values.flatMap { there, rows in
      let rows = rows.filter { there.isDeleted($0) }
      let loaded = try there.loadRows(rows.filter { there.find($0) == nil })
      defer { withExtendedLifetime(loaded) {} }
      return rows.compactMap { there.find($0).map(there.erased) }.map { ($0, there.own($0)) }
    }
  }

  /// What an object outside a context leads to and is deleted would keep it out.
  private func dropDeleted(_ relation: RelationLayout, of model: any PersistentModel) {
    switch model._$relation(relation.property) {
    case .many(let members?):
      let leaving = members.filter(isDeleted)
      if !leaving.isEmpty { core.takeOut(leaving, of: model, relation) }
    case .one(_, let object?) where relation.isOptional && isDeleted(object):
      model._$change(relation.property, .object(nil))
    default: break
    }
  }

  // MARK: Their own ends

  /// A to-many over a table of pairs that is not loaded.
  private typealias UnloadedList = (
    table: LinkTable, isSource: Bool, relation: RelationLayout, owners: [Restored]
  )

  /// An object keeps its relationships as they were when it was deleted: the other ends follow them, unless they have
  /// another by now.
  private mutating func recall(
    _ relation: RelationLayout, of model: any PersistentModel, _ state: EntityState, _ unloaded: inout [UnloadedList],
    _ hidden: inout HiddenLists
  ) throws {
    let there = try core.state(for: relation.destinationLayout)
    switch relation.form {
    case .key: recallKey(relation, of: model, state, there)
    case .mirror(let key): keepOnlyOwn(relation, key, of: model, state, there)
    case .link(let table, let isSource):
      core.unloadIfOutdated(model, relation)
      try hidden.merge(relation, of: model, state, there)
      if case .many(let members?) = model._$relation(relation.property) {
        return recall(members, relation, of: model, state, there)
      }
      let edit = state.own(model).linkEdits[RelationPlace(model, relation.property)]
      recall(edit?.added ?? [], relation, of: model, state, there)
      if relation.mirrored == nil { return }
      if let known = unloaded.firstIndex(where: { $0.relation === relation }) {
        unloaded[known].owners.append((model, state))
      } else {
        unloaded.append((table, isSource, relation, [(model, state)]))
      }
    }
  }

  private mutating func recallKey(
    _ relation: RelationLayout, of model: any PersistentModel, _ state: EntityState, _ there: EntityState
  ) {
    var key = model._$key(relation.property)
    guard key > 0 else { return }
    // One that forbids the deletion goes on doing so.
    let isDenied = relation.mirrored?.deleteRule == .deny
    if let departed = core.relations.consequences.departed(from: RowPlace(there, key)) {
      // It may be back, as another row.
      if isHere(departed), !isDeleted(departed) {
        key = departed._$header.pointee.rowID
        core.setKey(model, state, relation, key)
      } else {
        // It is what one that must lead to something reads as.
        if !relation.isOptional || isDenied { core.relations.departed[RowPlace(there, key)] = departed }
        return isDenied ? () : core.setKey(model, state, relation, 0)
      }
    }
    let reference = Reference(
      holder: (state, model._$header.pointee.rowID), relation: relation, target: (there, key))
    if there.isDeleted(key) {
      if !isDenied { core.setKey(model, state, relation, 0) }
      return core.relations.consequences.postpone(reference, until: RowPlace(there, key))
    }
    if !relate(reference) { core.setKey(model, state, relation, 0) }
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

  /// What the store has in lists that are not loaded.
  private mutating func recall(_ list: UnloadedList) throws {
    let there = try core.state(for: list.relation.destinationLayout)
    guard let inverse = list.relation.mirrored else { return }
    let owners = Dictionary(
      list.owners.map { ($0.model._$header.pointee.rowID, $0) }, uniquingKeysWith: { first, _ in first })
    for pair in try there.session.linkedRows(of: Array(owners.keys), list.table, isSource: list.isSource) {
      guard let (model, state) = owners[pair.row] else { continue }
      let edit = state.own(model).linkEdits[RelationPlace(model, list.relation.property)]
      if edit?.removed.contains(pair.other) == true { continue }
      if there.isDeleted(pair.other) {
        postpone(pair.other, there, list.relation, model, state)
      } else if let other = there.find(pair.other).map(there.erased) {
        joins.add(model, to: other, there, inverse)
      }
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
      isHere(other) && !isDeleted(other) && ToOneKey.shown(other._$key(key.property)) == row
    }
    if !relation.isToMany { _ = state.own(model).forgetMirrors() }
    switch model._$relation(relation.property) {
    case .many(let members?):
      let own = members.filter(isOwn)
      guard own.count < members.count else { return }
      let state = state.own(model)
      // One that was not changed is loaded anew, so that a rollback need not know of this.
      guard relation.isEdited(of: model) else {
        state.unloadShown(model, relation.property)
        // Others may have moved some, which is not known to the program.
        let moved = Set(members.filter { !isOwn($0) && (!isHere($0) || key.isEdited(of: $0)) }.rows)
        return state.changeShown(model, relation) { shown in shown.removeAll { moved.contains($0) } }
      }
      let mark = state.mark(model, relation.property, holding: own.rows)
      model._$change(relation.property, .objects(own, generation: mark))
    case .one(let other, _) where other > 0:
      let isLost =
        there.find(other).map(there.erased).map { !isOwn($0) }
        ?? (core.relations.consequences.departed(from: RowPlace(there, other)) != nil)
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
    let target = there.find(reference.target.row).map(there.erased)
    // Of what nobody holds, nothing was changed.
    guard let holder = here.find(reference.holder.row).map(here.erased) else { return true }
    if !relation.isToMany, !isFree(holder, here, relation, for: reference.target.row) { return false }
    if let target, let inverse, !inverse.isToMany, !isFree(target, there, inverse, for: reference.holder.row) {
      return false
    }
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

  /// Whether a to-one leads there, or is as the deletion has left it.
  private func isFree(
    _ model: any PersistentModel, _ state: EntityState, _ relation: RelationLayout, for row: Int64
  ) -> Bool {
    if case .mirror = relation.form { _ = state.own(model).forgetMirrors() }
    let key = model._$key(relation.property)
    // One that is edited is never unknown. What a redo gave it is no edit where that is stored anyway, and is forgotten
    // when others commit, although it was settled: by then the keys that lead to it tell.
    if key == row || key == ToOneKey.unknown { return true }
    let place = RowPlace(state, model._$header.pointee.rowID)
    if core.relations.consequences.isSettled(place, relation.property) { return false }
    return key == 0 || ToOneKey.shown(key) == row
  }

  private func isHere(_ model: any PersistentModel) -> Bool { model._$header.pointee.state?.core === core }
  private func isDeleted(_ model: any PersistentModel) -> Bool { model._$header.pointee.status.contains(.deleted) }
}
