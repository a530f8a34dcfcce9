// What the accessors of relationships ask of the context: changing. Both ends are kept in step here and nowhere else.

extension EntityState {
  /// Sets a to-one.
  @usableFromInline
  package func relate(_ owner: any PersistentModel, _ property: Int, to value: (any PersistentModel)?) {
    guard let relation = layout.relation(property) else { return }
    var told: ToldEnds?
    defer { told?.tellDidSet() }
    do {
      repeat {
        let gone = try core.catchUpWithLoaded(owner, self, relation, to: value.map { [$0] } ?? [])
        if let gone, !gone.isEmpty { return }
        try core.spreadDeletions()
        if hasLeft(owner) { return relateOutside(owner, .object(value), property, value.map { [$0] } ?? []) }
        guard mayChange(owner, relation) else { return }
        // Whoever was told may have deleted it.
        if let value { guard told == nil ? core.adopt(value) : core.isHere(value) else { return } }
      } while try !core.setOne(owner, self, relation, to: value, &told)
    } catch {
      core.couldNotChange(relation, of: self, error)
    }
  }

  /// Sets a to-many.
  @usableFromInline
  package func relate(_ owner: any PersistentModel, _ property: Int, to values: [any PersistentModel]) {
    guard let relation = layout.relation(property) else { return }
    var values = values
    var told: ToldEnds?
    defer { told?.tellDidSet() }
    do {
      repeat {
        values = values.without(try core.catchUpWithLoaded(owner, self, relation, to: values))
        try core.spreadDeletions()
        if hasLeft(owner) { return relateOutside(owner, .objects(values, generation: 0), property, values) }
        guard mayChange(owner, relation) else { return }
        // Whoever was told may have deleted some.
        values = told == nil ? core.adopted(values) : values.filter(core.isHere)
      } while try !core.setMany(owner, self, relation, to: values, &told)
    } catch {
      core.couldNotChange(relation, of: self, error)
    }
  }

  /// Does what follows from an object's entering a to-many that is in memory, but for the list itself.
  ///
  /// - Returns: False where that is not all, and nothing was done that setting the whole list would not do.
  @usableFromInline
  package func add(_ member: any PersistentModel, to owner: any PersistentModel, _ property: Int) -> Bool {
    guard let relation = layout.relation(property), changesAlone(owner, member) else { return false }
    return core.add(member, to: owner, self, relation)
  }

  /// Does what follows from an object's leaving a to-many that is in memory, but for the list itself.
  ///
  /// - Returns: False where that is not all, and nothing was done.
  @usableFromInline
  package func take(_ member: any PersistentModel, from owner: any PersistentModel, _ property: Int) -> Bool {
    guard let relation = layout.relation(property), changesAlone(owner, member) else { return false }
    return core.take(member, from: owner, self, relation)
  }

  /// Whether nobody observes the two, since observers may do anything to the list meanwhile, and nothing waits that others
  /// have committed.
  private func changesAlone(_ owner: any PersistentModel, _ member: any PersistentModel) -> Bool {
    !core.isOrphan && !core.relations.hasUnspreadDeletions && !core.isOfTwoCommits
      && !owner._$header.pointee.status.contains(.deleted)
      && owner._$header.pointee.registrar == nil && member._$header.pointee.registrar == nil
  }

  /// Whether an object that was never saved left with a deletion that has just been carried to it.
  func hasLeft(_ owner: any PersistentModel) -> Bool { owner._$header.pointee.state == nil }

  /// Changes an object that has left; one that is related to objects of the context is new in it.
  private func relateOutside(
    _ owner: any PersistentModel, _ change: RelationChange, _ property: Int, _ others: [any PersistentModel]
  ) {
    owner._$change(property, change)
    let isRelated = others.contains { other in
      other._$header.pointee.state?.core === core && !other._$header.pointee.status.contains(.deleted)
    }
    if isRelated { core.admit(owner) }
  }

  private func mayChange(_ owner: any PersistentModel, _ relation: RelationLayout) -> Bool {
    guard owner._$header.pointee.status.contains(.deleted) else { return true }
    Log.warning(
      "\(layout.entityName) \(owner._$header.pointee.rowID) is deleted: the change of \(relation.name) is dropped.")
    return false
  }
}

extension ContextCore {
  /// Setting a relationship cannot throw: the next save does.
  func couldNotChange(_ relation: RelationLayout, of state: EntityState, _ error: any Error) {
    Log.warning("\(state.layout.entityName).\(relation.name) could not be changed. \(error)")
    if faultError == nil { faultError = error }
  }

  /// Changes both ends of a relationship, of which those who observe them were told. A rollback by a type's own coding
  /// waits for the second end.
  @inline(__always)
  private func changingEnds(_ told: ToldEnds?, _ change: () throws -> Void) rethrows {
    let isInside = relations.isChangingEnds
    let outer = relations.told
    relations.isChangingEnds = true
    relations.told = told
    defer {
      relations.isChangingEnds = isInside
      relations.told = outer
      if !isInside, !relations.waiting.isEmpty, !isQuiet { announce() }
    }
    try change()
  }

  private static let fewObjects = 16

  /// Objects of this context: those that were in none are inserted, others are left out; each comes once.
  func adopted(_ models: [any PersistentModel]) -> [any PersistentModel] {
    if models.count <= ContextCore.fewObjects {
      // Looking through a few takes less time than a set of them.
      var result: [any PersistentModel] = []
      result.reserveCapacity(models.count)
      for model in models where !result.contains(where: { $0 === model }) && adopt(model) { result.append(model) }
      return result
    }
    var seen: Set<ObjectIdentifier> = []
    seen.reserveCapacity(models.count)
    return models.filter { seen.insert(ObjectIdentifier($0)).inserted && adopt($0) }
  }

  // MARK: - To-one

  func setOne(
    _ owner: any PersistentModel, _ state: EntityState, _ relation: RelationLayout, to new: (any PersistentModel)?
  ) throws {
    var told: ToldEnds?
    defer { told?.tellDidSet() }
    while try !setOne(owner, state, relation, to: new, &told) {
      guard isHere(owner), new.map(isHere) != false else { return }
    }
  }

  /// Sets a to-one, once nobody is left to be told.
  ///
  /// - Returns: False where somebody was told first, and nothing is done.
  fileprivate func setOne(
    _ owner: any PersistentModel, _ state: EntityState, _ relation: RelationLayout, to new: (any PersistentModel)?,
    _ told: inout ToldEnds?
  ) throws -> Bool {
    var old = try currentKey(of: owner, state, relation)
    if let gone = try catchUpWithLoaded(owner, state, relation, to: new.map { [$0] } ?? []) {
      if !isHere(owner) || !gone.isEmpty { return true }
      old = try currentKey(of: owner, state, relation)
    }
    let there = try self.state(for: relation.destinationLayout)
    if let new, old == new._$header.pointee.rowID, state.own(owner).isOfStranger(new, owner, relation) {
      try there.makeWay()
    }
    let row = new?._$header.pointee.rowID ?? 0
    guard old != row else { return true }
    let former = old > 0 ? there.find(old).map(there.erased) : nil
    guard let inverse = relation.mirrored else {
      if tellKey(owner, state, relation, row, &told) { return false }
      changingEnds(told) { setKey(owner, state, relation, row) }
      return true
    }
    if !inverse.isToMany {
      // One to one: whoever had it loses it.
      var losses: [(model: any PersistentModel, state: EntityState, relation: RelationLayout)] = []
      if let rival = try partner(of: new, there, inverse), rival !== owner { losses.append((rival, state, relation)) }
      if let formerPartner = try old > 0 ? former ?? there.loadRows([old]).first : nil {
        losses.append((formerPartner, there, inverse))
      }
      var isTelling = false
      for loss in losses where tellKey(loss.model, loss.state, loss.relation, 0, &told) { isTelling = true }
      if tellKey(owner, state, relation, row, &told) { isTelling = true }
      if let new, tellKey(new, there, inverse, owner._$header.pointee.rowID, &told) { isTelling = true }
      if isTelling { return false }
      changingEnds(told) {
        for loss in losses { setKey(loss.model, loss.state, loss.relation, 0) }
        setKey(owner, state, relation, row)
        if let new { setKey(new, there, inverse, owner._$header.pointee.rowID) }
      }
      return true
    }
    var isTelling = tellKey(owner, state, relation, row, &told)
    if let former, tellList(former, inverse, &told) { isTelling = true }
    if let new, tellList(new, inverse, &told) { isTelling = true }
    if isTelling { return false }
    changingEnds(told) {
      setKey(owner, state, relation, row)
      if let former { leave(former, there, inverse, owner) }
      if let new { join(new, there, inverse, owner) }
    }
    return true
  }

  private func currentKey(
    of owner: any PersistentModel, _ state: EntityState, _ relation: RelationLayout
  ) throws -> Int64 {
    if case .mirror = relation.form { _ = state.own(owner).forgetMirrors() }
    let key = owner._$key(relation.property)
    return key == ToOneKey.unknown ? try loadMirroredKey(of: owner, state, relation) : key
  }

  /// The object at the other end of a to-one of `model`, whichever table has the key.
  func partner(
    of model: (any PersistentModel)?, _ state: EntityState, _ relation: RelationLayout
  ) throws -> (any PersistentModel)? {
    guard let model, case let key = model._$key(relation.property), key >= ToOneKey.unknown,
      let object = state.relatedObject(of: model, relation.property, key)
    else { return nil }
    return try self.state(for: relation.destinationLayout).erased(object)
  }

  /// Sets the key of a to-one, and nothing at the other end.
  func setKey(_ model: any PersistentModel, _ state: EntityState, _ relation: RelationLayout, _ row: Int64) {
    guard let key = newKey(model, state, relation, row) else { return }
    let isAsked = !isSpreading && !relations.isRecalling
    relations.consequences.settle(RowPlace(state, model._$header.pointee.rowID), relation.property, isAsked)
    if key < ToOneKey.unknown, let there = try? self.state(for: relation.destinationLayout) {
      relations.lost.insert(RowPlace(there, ToOneKey.shown(key)))
    }
    let state = state.own(model)
    state.observe(model, relation) { model._$change(relation.property, .key(key)) }
  }

  /// The key that a to-one has once it is set, where that changes it.
  @inline(__always)
  func newKey(
    _ model: any PersistentModel, _ state: EntityState, _ relation: RelationLayout, _ row: Int64
  ) -> Int64? {
    // What a rollback leads to is noted by it.
    if case .mirror = relation.form { _ = state.own(model).forgetMirrors() }
    let present = model._$key(relation.property)
    // Nothing can be read where there must be something: what was there is, and the save refuses it.
    let key = row == 0 && !relation.isOptional ? ToOneKey.lost(present) : row
    return model._$header.pointee.status.contains(.deleted) || present == key ? nil : key
  }

  // MARK: - To-many

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
  fileprivate func setMany(
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
    relations.listChanges &+= 1
    let before = relations.listChanges
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
      let late = relations.listChanges == before ? [] : lateComers(owner, relation, old, new)
      owner._$change(relation.property, .objects(new + late, generation: relations.generation))
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
    let changes = relations.listChanges
    // What comes along may have been put into the list, too.
    guard adopt(member), relations.listChanges == changes, owner._$key(relation.property) != 0,
      let there = try? self.state(for: relation.destinationLayout)
    else { return false }
    if let inverse = relation.mirrored, !inverse.isToMany, member._$key(inverse.property) != 0 { return false }
    relations.listChanges &+= 1
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
    relations.listChanges &+= 1
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

  // MARK: - The other end

  /// Takes a member out of a to-many.
  func leave(
    _ model: any PersistentModel, _ state: EntityState, _ relation: RelationLayout, _ member: any PersistentModel
  ) {
    let header = model._$header
    guard !header.pointee.status.contains(.deleted) else {
      // A deleted object keeps what it was related to, but not what leaves before it, and may lead back to it.
      if header.pointee.status.contains(.stored),
        member._$header.pointee.status.isSuperset(of: [.inserted, .deleted])
      {
        model._$change(relation.property, .remove(member))
        state.own(model).linkEdits[RelationPlace(model, relation.property)]?.added.removeAll { $0 === member }
      }
      return
    }
    relations.listChanges &+= 1
    unloadIfOutdated(model, relation)
    let state = state.own(model)
    state.observe(model, relation) {
      if isLoaded(model, relation) {
        model._$change(relation.property, .remove(member))
      } else {
        state.noteLink(model, relation, removed: member)
      }
    }
  }

  /// Puts a member at the end of a to-many.
  func join(
    _ model: any PersistentModel, _ state: EntityState, _ relation: RelationLayout, _ member: any PersistentModel
  ) {
    let header = model._$header
    guard !header.pointee.status.contains(.deleted) else { return }
    relations.listChanges &+= 1
    unloadIfOutdated(model, relation)
    let state = state.own(model)
    state.observe(model, relation) {
      if isLoaded(model, relation) {
        model._$change(relation.property, .append(member))
      } else {
        state.noteLink(model, relation, added: member)
      }
    }
  }

  /// What a list was before others committed is not what its members come and go from.
  func unloadIfOutdated(_ model: any PersistentModel, _ relation: RelationLayout) {
    guard model._$header.pointee.status.contains(.stored), model._$key(relation.property) != 0,
      isOutdated(model, relation)
    else { return }
    model._$change(relation.property, .objects(nil, generation: 0))
  }

  private func isLoaded(_ model: any PersistentModel, _ relation: RelationLayout) -> Bool {
    model._$key(relation.property) != 0 || !model._$header.pointee.status.contains(.stored)
  }
}

extension [any PersistentModel] {
  /// The others, where there are any.
  fileprivate func without(_ gone: [any PersistentModel]?) -> Self {
    guard let gone, !gone.isEmpty else { return self }
    let left = Set(gone.map { ObjectIdentifier($0) })
    return filter { !left.contains(ObjectIdentifier($0)) }
  }
}
