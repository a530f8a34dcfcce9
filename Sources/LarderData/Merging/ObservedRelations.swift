import LarderSupport

// Which objects are in a to-many is said by other rows: those who observe one are told when these have changed.

extension EntityState {
  /// Somebody is about to observe a property.
  func willObserve(_ row: Int64, _ property: Int) {
    // A context that is reached in turns of its own takes over in these: what is read in one go is of one commit.
    if core.turns == nil { core.catchUp() }
    guard layout.hasRelations, let relation = layout.relation(property), !relation.hasColumn else { return }
    observedRelations[property, default: []].insert(row)
  }
}

extension RelationLayout {
  /// Whether it is the object's own row that says what is at the other end.
  fileprivate var hasColumn: Bool { if case .key = form { true } else { false } }
}

extension ContextCore {
  /// Loads relationships anew that somebody has observed, and tells of those that have become others.
  ///
  /// - Parameter isChanged: Whether others have changed rows of a model, given by the topmost class's state.
  func tellObserversOfRelations(_ isChanged: (EntityState) -> Bool) throws {
    for state in known {
      for (property, rows) in state.observedRelations {
        guard let relation = state.layout.relation(property),
          let there = existingState(for: relation.destinationLayout)?.root, isChanged(there) || isChanged(state.root)
        else { continue }
        var owners: [any PersistentModel] = []
        var present: Set<Int64> = []
        for row in rows {
          guard let owner = state.find(row).map(state.erased), owner._$header.pointee.registrar != nil else { continue }
          present.insert(row)
          if isOutdatedHere(owner, relation) { owners.append(owner) }
        }
        state.observedRelations[property] = present
        if !owners.isEmpty { try reload(owners, state, relation) }
      }
    }
    try tellUntold()
  }

  /// Notes what an observed relationship holds, which is about to be loaded anew because somebody asks for it, or for
  /// another's.
  func noteUntold(_ model: any PersistentModel, _ relation: RelationLayout) {
    let key = model._$key(relation.property)
    if isOrphan || key == (relation.isToMany ? 0 : ToOneKey.unknown) { return }
    let place = RelationPlace(model, relation.property)
    if relations.untold[place] != nil { return }
    relations.untold[place] = (model, model._$relation(relation.property))
  }

  /// Tells of relationships that have become others by the way.
  private func tellUntold() throws {
    if relations.untold.isEmpty { return }
    let all = relations.untold
    relations.untold = [:]
    for (place, (model, former)) in all {
      let header = model._$header
      guard let state = header.pointee.state, state.core === self, header.pointee.registrar != nil,
        header.pointee.status.contains(.stored), !header.pointee.status.contains(.deleted),
        let relation = state.layout.relation(place.property), !relation.isEdited(of: model)
      else { continue }
      let isSame: Bool
      switch former {
      case .many(let before?): isSame = try objects(of: model, state, relation).elementsEqual(before, by: ===)
      case .one(let before, _):
        let now = try state.findRelated(of: model, relation, model._$key(relation.property))
        isSame = ToOneKey.shown(before) == (now == nil ? 0 : ToOneKey.shown(model._$key(relation.property)))
      default: continue
      }
      if !isSame { state.observe(model, relation.property) {} }
    }
  }

  /// Whether a relationship is loaded, as it was before others committed.
  private func isOutdatedHere(_ owner: any PersistentModel, _ relation: RelationLayout) -> Bool {
    let header = owner._$header
    guard header.pointee.status.contains(.stored), !header.pointee.status.contains(.deleted),
      !relation.isEdited(of: owner)
    else { return false }
    let key = owner._$key(relation.property)
    return relation.isToMany ? key != 0 && isOutdated(owner, relation) : key != ToOneKey.unknown
  }

  private func reload(_ owners: [any PersistentModel], _ state: EntityState, _ relation: RelationLayout) throws {
    let groups = try loadGroups(owners, state, relation)
    for owner in owners {
      let objects = groups[owner._$header.pointee.rowID] ?? []
      guard relation.isToMany else {
        let row = objects.first?._$header.pointee.rowID ?? 0
        if owner._$key(relation.property) == row { continue }
        if let object = objects.first { keep(object) }
        state.observe(owner, relation.property) { owner._$change(relation.property, .key(row)) }
        continue
      }
      let own = state.own(owner)
      own.noteShown(owner, relation.property)
      let mark = own.mark(owner, relation.property, holding: objects.rows)
      if case .many(let known?) = owner._$relation(relation.property), known.elementsEqual(objects, by: ===) {
        owner._$change(relation.property, .current(generation: mark))
        continue
      }
      state.observe(owner, relation.property) {
        owner._$change(relation.property, .objects(objects, generation: mark))
      }
      if case .link = relation.form { noteLinkHolder(owner, relation.property) }
    }
  }
}
