// Setting a to-many as a whole, or one member of it, and with it what is at the other ends.

extension ContextCore {
  func setMany(
    _ owner: any PersistentModel, _ state: EntityState, _ relation: RelationLayout, to new: [any PersistentModel]
  ) throws {
    var new = new
    var told: ToldEnds?
    defer { told?.tellDidSet() }
    while try !setMany(owner, state, relation, to: new, &told) {
      guard isHere(owner) else { return }
      new = new.filter(isHere)
    }
  }

  /// Sets a to-many, once nobody is left to be told.
  ///
  /// - Returns: False where somebody was told first, and nothing is done.
  func setMany(
    _ owner: any PersistentModel, _ state: EntityState, _ relation: RelationLayout, to new: [any PersistentModel],
    _ told: inout ToldEnds?
  ) throws -> Bool {
    var old = try objects(of: owner, state, relation)
    var new = new
    if let gone = try catchUpWithLoaded(owner, state, relation, to: new) {
      if !isHere(owner) { return true }
      new = new.without(gone)
      old = try objects(of: owner, state, relation)
    }
    if let before = told?.list { new = merged(new, before: before, now: old) }
    let (removed, added) = difference(old, new)
    if removed.isEmpty, added.isEmpty, old.elementsEqual(new, by: ===) { return true }
    let there = try self.state(for: relation.destinationLayout)
    if tellEnds(of: owner, state, relation, there, removed, added, &told) {
      if told?.list == nil { told?.list = old }
      return false
    }
    changingEnds(told) { change(owner, state, relation, there, old, new, removed, added) }
    return true
  }

  /// Tells those who observe a list that is set, or what comes and goes.
  private func tellEnds(
    of owner: any PersistentModel, _ state: EntityState, _ relation: RelationLayout, _ there: EntityState,
    _ removed: [any PersistentModel], _ added: [any PersistentModel], _ told: inout ToldEnds?
  ) -> Bool {
    var isTelling = false
    if let inverse = relation.mirrored {
      for model in removed {
        let isTold =
          inverse.isToMany ? tellList(model, inverse, &told) : tellKey(model, there, inverse, 0, &told)
        if isTold { isTelling = true }
      }
      // Most come from the same one.
      var known: Int64 = 0
      for model in added {
        if inverse.isToMany {
          if tellList(model, inverse, &told) { isTelling = true }
          continue
        }
        let key = model._$key(inverse.property)
        if key != known, let former = formerOwner(key, state, relation, owner),
          tellList(former, relation, &told)
        {
          isTelling = true
        }
        known = key
        if tellKey(model, there, inverse, owner._$header.pointee.rowID, &told) { isTelling = true }
      }
    }
    if tell(owner, relation.property, &told) { isTelling = true }
    return isTelling
  }

  /// What a list is set to, with what those who were told have put into it and taken from it meanwhile.
  private func merged(
    _ new: [any PersistentModel], before: [any PersistentModel], now: [any PersistentModel]
  ) -> [any PersistentModel] {
    if now.elementsEqual(before, by: ===) { return new }
    let (former, present) = (Set(before.map { ObjectIdentifier($0) }), Set(now.map { ObjectIdentifier($0) }))
    let wanted = Set(new.map { ObjectIdentifier($0) })
    return new.filter { present.contains(ObjectIdentifier($0)) || !former.contains(ObjectIdentifier($0)) }
      + now.filter { !former.contains(ObjectIdentifier($0)) && !wanted.contains(ObjectIdentifier($0)) }
  }

  private func change(
    _ owner: any PersistentModel, _ state: EntityState, _ relation: RelationLayout, _ there: EntityState,
    _ old: [any PersistentModel], _ new: [any PersistentModel], _ removed: [any PersistentModel],
    _ added: [any PersistentModel]
  ) {
    relationMarks.listChanges &+= 1
    let before = relationMarks.listChanges
    state.noteChange(owner, relation)
    if let inverse = relation.mirrored {
      for model in removed {
        if inverse.isToMany { leave(model, there, inverse, owner) } else { setKey(model, there, inverse, 0) }
      }
      for model in added {
        if inverse.isToMany {
          join(model, there, inverse, owner)
        } else {
          move(model, there, inverse, to: owner, state, relation)
        }
      }
    }
    state.observe(owner, relation) {
      let late = relationMarks.listChanges == before ? [] : lateComers(owner, relation, old, new)
      owner._$change(relation.property, .objects(new + late, generation: relationMarks.generation))
    }
    if case .link = relation.form { noteLinkHolder(owner, relation.property) }
  }

  /// What observers of the other ends put into a list while it was being set.
  private func lateComers(
    _ owner: any PersistentModel, _ relation: RelationLayout, _ old: [any PersistentModel],
    _ new: [any PersistentModel]
  ) -> [any PersistentModel] {
    guard case .many(let present?) = owner._$relation(relation.property) else { return [] }
    let known = Set((old + new).map { ObjectIdentifier($0) })
    return present.filter { !known.contains(ObjectIdentifier($0)) }
  }

  func add(
    _ member: any PersistentModel, to owner: any PersistentModel, _ state: EntityState, _ relation: RelationLayout
  ) -> Bool {
    let changes = relationMarks.listChanges
    // What comes along may have been put into the list, too.
    guard adopt(member), relationMarks.listChanges == changes, owner._$key(relation.property) != 0,
      let there = try? self.state(for: relation.destinationLayout)
    else { return false }
    if let inverse = relation.mirrored, !inverse.isToMany, member._$key(inverse.property) != 0 { return false }
    relationMarks.listChanges &+= 1
    state.noteChange(owner, relation)
    if let inverse = relation.mirrored {
      if inverse.isToMany {
        join(member, there, inverse, owner)
      } else {
        move(member, there, inverse, to: owner, state, relation)
      }
    }
    if case .link = relation.form { noteLinkHolder(owner, relation.property) }
    return true
  }

  func take(
    _ member: any PersistentModel, from owner: any PersistentModel, _ state: EntityState, _ relation: RelationLayout
  ) -> Bool {
    guard owner._$key(relation.property) != 0, let there = try? self.state(for: relation.destinationLayout),
      member._$header.pointee.state?.core === self
    else { return false }
    if let inverse = relation.mirrored, !inverse.isToMany,
      member._$key(inverse.property) != owner._$header.pointee.rowID
    {
      return false
    }
    relationMarks.listChanges &+= 1
    state.noteChange(owner, relation)
    if let inverse = relation.mirrored {
      if inverse.isToMany { leave(member, there, inverse, owner) } else { setKey(member, there, inverse, 0) }
    }
    if case .link = relation.form { noteLinkHolder(owner, relation.property) }
    return true
  }

  /// Gives an object another owner: it leaves the former one's to-many, if that is loaded.
  private func move(
    _ model: any PersistentModel, _ there: EntityState, _ key: RelationLayout, to owner: any PersistentModel,
    _ state: EntityState, _ relation: RelationLayout
  ) {
    if let former = formerOwner(model._$key(key.property), state, relation, owner) {
      leave(former, state, relation, model)
    }
    setKey(model, there, key, owner._$header.pointee.rowID)
  }

  /// Whose to-many a member leaves that gets another owner, if somebody holds it.
  @inline(__always)
  private func formerOwner(
    _ key: Int64, _ state: EntityState, _ relation: RelationLayout, _ owner: any PersistentModel
  ) -> (any PersistentModel)? {
    guard key > 0, let object = state.declaring(relation.property).find(key), object !== owner else { return nil }
    return state.declaring(relation.property).erased(object)
  }

  /// What leaves a list and what enters it. What both begin and end with costs no sets.
  private func difference(
    _ old: [any PersistentModel], _ new: [any PersistentModel]
  ) -> (removed: [any PersistentModel], added: [any PersistentModel]) {
    let common = zip(old, new).prefix { $0 === $1 }.count
    let end = zip(old[common...].reversed(), new[common...].reversed()).prefix { $0 === $1 }.count
    let (oldRest, newRest) = (old[common...].dropLast(end), new[common...].dropLast(end))
    if oldRest.isEmpty { return ([], Array(newRest)) }
    if newRest.isEmpty { return (Array(oldRest), []) }
    let before = Set(oldRest.map { ObjectIdentifier($0) })
    let after = Set(newRest.map { ObjectIdentifier($0) })
    return (
      oldRest.filter { !after.contains(ObjectIdentifier($0)) },
      newRest.filter { !before.contains(ObjectIdentifier($0)) }
    )
  }
}
