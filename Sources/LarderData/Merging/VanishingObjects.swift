import LarderSupport

/// Objects whose rows others have deleted. They leave the context with the values that they have, and edits of them go with
/// them, unless the merge policy is ``MergePolicy/error``: then those that are edited stay, and the save says what has happened.
struct VanishingObjects {
  private let core: ContextCore
  private var leaving: [(model: any PersistentModel, state: EntityState)] = []
  /// The to-ones of those that the program has set itself.
  private var led: Set<RelationPlace> = []

  init(_ core: ContextCore) { self.core = core }

  mutating func add(_ model: any PersistentModel) {
    let header = model._$header
    guard let state = header.pointee.state, header.pointee.status.contains(.stored) else { return }
    // The save deletes it; a rollback lets it go.
    if header.pointee.status.contains(.deleted) { return state.leaveBehind(header.pointee.rowID) }
    if core.mergePolicy == .error, state.isEditedItself(header) {
      state.root.leftBehindGone.insert(header.pointee.rowID)
      return state.leaveBehind(header.pointee.rowID)
    }
    leaving.append((model, state))
  }

  mutating func leave() throws {
    if leaving.isEmpty { return }
    // Asked before anything is changed, as it can fail.
    let stored = try storedKeys()
    for (model, state) in leaving {
      let header = model._$header
      if header.pointee.status.contains(.led) {
        for relation in state.layout.relations where !relation.isToMany && state.isLed(model, relation) {
          led.insert(RelationPlace(model, relation.property))
        }
      }
      if state.isEditedItself(header) { core.noteVanished(state, header.pointee.rowID) }
      state.dropEdits(of: model)
      header.pointee.status.insert(.deleted)
    }
    takeOutOfEdited(stored)
    core.detachingTogether {
      for (model, state) in leaving where state.layout.hasRelations { state.detach(model) }
    }
    LeavingCircles.cut(among: leaving.filter(\.state.layout.hasRelations))
    for (model, state) in leaving { state.release(model._$header, status: [.gone, .vanished]) }
  }

  /// Lists that were changed here are not read anew, nor to-ones of which the other end has the key, or which a list has led
  /// to what goes.
  private func takeOutOfEdited(_ stored: [RelationPlace: Int64]) {
    let byRoot = leavingByRoot
    for other in core.known where other.hasChanges {
      for relation in other.layout.relations {
        guard let gone = byRoot[ObjectIdentifier(relation.destinationLayout.root)] else { continue }
        takeOut(
          gone.filter { $0.state.layout.inherits(from: relation.destinationLayout) }.map(\.model), of: other, relation,
          stored)
      }
    }
  }

  private var leavingByRoot: [ObjectIdentifier: [(model: any PersistentModel, state: EntityState)]] {
    Dictionary(grouping: leaving) { ObjectIdentifier($0.state.layout.root) }
  }

  /// The stored values of edited to-ones that lead to vanishing objects: other contexts may have saved others since the edits. Left
  /// out are foreign keys where the merge policy keeps the edit's original value equal to the stored one.
  private func storedKeys() throws -> [RelationPlace: Int64] {
    let byRoot = leavingByRoot
    var stored: [RelationPlace: Int64] = [:]
    for state in core.known where state.hasChanges {
      for relation in state.layout.relations where !relation.isToMany {
        guard let gone = byRoot[ObjectIdentifier(relation.destinationLayout.root)] else { continue }
        let rows = Set(gone.map { $0.model._$header.pointee.rowID })
        let owners = state.changed.map(state.erased).filter { rows.contains($0._$key(relation.property)) }
        if owners.isEmpty { continue }
        let keys: [(row: Int64, target: Int64)]
        switch relation.form {
        case .key:
          guard core.mergePolicy == .overwrite else { continue }
          keys = try state.storedKeys(of: owners.rows, relation)
        case .mirror: keys = try core.storedPartners(of: owners.rows, relation)
        case .link: continue
        }
        let targets = Dictionary(keys.map { ($0.row, $0.target) }, uniquingKeysWith: { first, _ in first })
        for owner in owners {
          stored[RelationPlace(owner, relation.property)] = targets[owner._$header.pointee.rowID] ?? 0
        }
      }
    }
    return stored
  }

  /// Keeps the object of a to-one that is not optional, unless that leads elsewhere now: the to-one reads as the object until a
  /// save has refused it.
  private func keep(_ object: any PersistentModel, of owner: any PersistentModel, _ relation: RelationLayout) {
    let row = object._$header.pointee.rowID
    guard ToOneKey.shown(owner._$key(relation.property)) == row,
      let there = try? core.state(for: relation.destinationLayout)
    else { return }
    core.relations.departed[RowPlace(there, row)] = object
  }

  private func objectsByRow(_ objects: [any PersistentModel]) -> [Int64: any PersistentModel] {
    Dictionary(objects.map { ($0._$header.pointee.rowID, $0) }, uniquingKeysWith: { first, _ in first })
  }

  private func takeOut(
    _ gone: [any PersistentModel], of state: EntityState, _ relation: RelationLayout, _ stored: [RelationPlace: Int64]
  ) {
    if gone.isEmpty { return }
    let rows = Set(gone.rows)
    let needed = relation.isToMany || relation.isOptional ? [:] : objectsByRow(gone)
    let ledRows = Set(
      gone.filter { model in relation.mirrored.map { led.contains(RelationPlace(model, $0.property)) } ?? false }.rows)
    for object in state.changed + state.inserted {
      let owner = state.erased(object)
      guard relation.isToMany else {
        let row = owner._$key(relation.property)
        if rows.contains(row) {
          core.takeBackLead(
            of: owner, state, relation, wasLedBack: ledRows.contains(row),
            stored: stored.isEmpty ? nil : stored[RelationPlace(owner, relation.property)])
          if let object = needed[row] { keep(object, of: owner, relation) }
        }
        continue
      }
      state.forgetAdded(rows, to: owner, relation)
      guard relation.isEdited(of: owner), let list = owner.rows(in: relation.property),
        list.contains(where: { rows.contains($0) })
      else { continue }
      state.observe(owner, relation.property) {
        core.takeOut(gone, of: owner, relation)
      }
    }
  }
}

extension EntityState {
  /// Whether what is pending of an object was edited in it, and is not only what follows from a change of what it is related
  /// to.
  func isEditedItself(_ header: UnsafeMutablePointer<ModelHeader.Fields>) -> Bool {
    let status = header.pointee.status
    guard status.contains(.changed) else { return false }
    return status.contains(.led) || status.contains(.listed) || header.pointee.changed & ~relationMask != 0
  }

  /// The to-ones, as far as no other property shares their bits.
  var keyMask: PropertyMask { mask { !$0.isToMany } }
  private var relationMask: PropertyMask { mask { _ in true } }

  private func mask(_ condition: (RelationLayout) -> Bool) -> PropertyMask {
    layout.relations.reduce(0) { mask, relation in
      condition(relation) && !ModelLayout.sharesBit(relation.property) ? mask | relation.bit : mask
    }
  }

  /// Forgets that members were added to a list that is not loaded.
  fileprivate func forgetAdded(_ rows: Set<Int64>, to owner: any PersistentModel, _ relation: RelationLayout) {
    if linkEdits.isEmpty { return }
    linkEdits[RelationPlace(owner, relation.property)]?.added.removeAll { rows.contains($0._$header.pointee.rowID) }
  }
}
