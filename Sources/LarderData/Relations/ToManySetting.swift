import LarderSupport

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
  /// - Parameters:
  ///   - shown: What the program was shown of it before; nil where it was shown nothing, or another than it sets it.
  ///   - isByHand: Whether the program sets it.
  /// - Returns: False where somebody was told first, and nothing is done.
  func setMany(
    _ owner: any PersistentModel, _ state: EntityState, _ relation: RelationLayout, to wanted: [any PersistentModel],
    from shown: [Int64]? = nil, isByHand: Bool = false, _ told: inout ToldEnds?
  ) throws -> Bool {
    var old = try objects(of: owner, state, relation)
    var wanted = wanted
    if try catchUp(before: owner, state, relation, to: wanted) != nil {
      if !isHere(owner) { return true }
      wanted = wanted.filter(isHere)
      old = try objects(of: owner, state, relation)
    }
    // Those who were told may have changed it meanwhile, too.
    let base = shown ?? told?.list?.rows
    let new = base.map { ListMerge(new: wanted, base: $0, now: old, endsWithOthers: false).result() } ?? wanted
    let (removed, added) = difference(old, new)
    if removed.isEmpty, added.isEmpty, old.elementsEqual(new, by: ===) {
      if let shown {
        noteHand(owner, state, relation, from: shown, to: wanted, removed, added)
        let mark = state.own(owner).setShown(owner, relation.property, wanted.rows, holding: new.rows)
        owner._$change(relation.property, .current(generation: mark))
      }
      return true
    }
    let there = try self.state(for: relation.destinationLayout)
    if tellEnds(of: owner, state, relation, there, removed, added, &told) {
      if told?.list == nil { told?.list = old }
      return false
    }
    changingEnds(told) {
      if isByHand { noteKeysBehind(added, relation.mirrored, of: owner) }
      change(owner, state, relation, there, old, new, removed, added, shown == nil ? nil : wanted.rows)
    }
    if let shown { noteHand(owner, state, relation, from: shown, to: wanted, removed, added) }
    #if DEBUG
      _checkInvariants(owner, relation, removed: removed, added: added)
    #endif
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

  private func change(
    _ owner: any PersistentModel, _ state: EntityState, _ relation: RelationLayout, _ there: EntityState,
    _ old: [any PersistentModel], _ new: [any PersistentModel], _ removed: [any PersistentModel],
    _ added: [any PersistentModel], _ shown: [Int64]?
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
      let (own, list) = (state.own(owner), new + late)
      guard let shown else {
        // Something else than the program's hand: what comes and goes by it is known.
        own.leaveShown(owner, relation, removed)
        own.joinShown(owner, relation, added)
        let mark = own.mark(owner, relation.property, holding: list.rows)
        return owner._$change(relation.property, .objects(list, generation: mark))
      }
      let mark = own.setShown(owner, relation.property, shown, holding: list.rows)
      owner._$change(relation.property, .objects(list, generation: mark))
    }
    if case .link = relation.form { noteLinkHolder(owner, relation.property) }
  }

  /// What was read of an object's relationship while others committed may be newer than the objects at the other end. Where it lacks
  /// one that has the key to the object, from before the commit, to relate the two is an edit of that key all the same.
  ///
  /// - Parameter key: The relationship at the other end.
  func noteKeysBehind(
    _ added: [any PersistentModel], _ key: RelationLayout?, of owner: any PersistentModel
  ) {
    guard let key, case .key = key.form, mayBeAhead() else { return }
    for member in added where member._$key(key.property) == owner._$header.pointee.rowID && isHere(member) {
      guard let state = member._$header.pointee.state, state.isAsStored(member, key) else { continue }
      // The object leads where it led: there is nothing to tell its observers.
      leading(member, key) {
        state.touch(member)
        state.noteChange(member, key)
      }
    }
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
    guard !hasVanished(member), adopt(member), relationMarks.listChanges == changes,
      owner._$key(relation.property) != 0,
      let there = try? self.state(for: relation.destinationLayout)
    else { return false }
    if let inverse = relation.mirrored, !inverse.isToMany, member._$key(inverse.property) != 0 { return false }
    relationMarks.listChanges &+= 1
    owner._$header.pointee.status.insert(.listed)
    state.noteChange(owner, relation)
    if let inverse = relation.mirrored {
      if inverse.isToMany {
        join(member, there, inverse, owner)
      } else {
        move(member, there, inverse, to: owner, state, relation)
      }
    }
    if case .link = relation.form { noteLinkHolder(owner, relation.property) }
    #if DEBUG
      _checkInvariants(owner, relation, removed: [], added: [member])
    #endif
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
    owner._$header.pointee.status.insert(.listed)
    state.noteChange(owner, relation)
    if let inverse = relation.mirrored {
      if inverse.isToMany { leave(member, there, inverse, owner) } else { setKey(member, there, inverse, 0) }
    }
    if case .link = relation.form { noteLinkHolder(owner, relation.property) }
    #if DEBUG
      _checkInvariants(owner, relation, removed: [member], added: [])
    #endif
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
    notePlaced(model, in: owner._$header.pointee.rowID, state, relation)
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
