import LarderSupport

// What the accessors of relationships ask of the context: changing. Both ends are kept in step here, in `ToOneSetting`,
// `ToManySetting` and `OtherEnd`, and nowhere else.

extension EntityState {
  /// Sets a to-one.
  @usableFromInline
  package func relate(_ owner: any PersistentModel, _ property: Int, to value: (any PersistentModel)?) {
    // Its references are counted once here, and not at each of the calls.
    let core = core
    guard let relation = layout.relation(property) else { return }
    core.forgetLostLead(of: owner, property)
    var value = value
    var told: ToldEnds?
    defer { told?.tellDidSet() }
    do {
      repeat {
        // What others have led to an object that is deleted here is deleted along. Had the to-one been set before, it would be nil.
        let wasHere = core.hasOthersChanges && relation.isOptional && value.map(core.isHere) == true
        let gone = try core.catchUp(before: owner, self, relation, to: value.map { [$0] } ?? [])
        if let gone, gone.hasOwnerGone || gone.others.contains(where: core.hasVanished) { return }
        try core.spreadDeletions()
        if hasLeft(owner) { return relateOutside(owner, .object(value), property, value.map { [$0] } ?? []) }
        guard mayChange(owner, relation) else { return }
        if wasHere, let other = value, !core.isHere(other) { value = nil }
        // Whoever was told may have deleted it.
        if let value { guard told == nil ? core.adopt(value) : core.isHere(value) else { return } }
      } while try !core.leading(owner, relation) { try core.setOne(owner, self, relation, to: value, &told) }
      forgetIdleMark(of: owner, .led)
    } catch {
      core.couldNotChange(relation, of: self, error)
    }
  }

  /// Sets a to-many.
  @usableFromInline
  package func relate(_ owner: any PersistentModel, _ property: Int, to values: [any PersistentModel]) {
    // Its references are counted once here, and not at each of the calls.
    let core = core
    guard let relation = layout.relation(property) else { return }
    var values = values
    var told: ToldEnds?
    defer { told?.tellDidSet() }
    // What it is a difference to, whatever the list becomes before it is set.
    let (shown, row) = (shownRows(of: owner, relation), owner._$header.pointee.rowID)
    do {
      repeat {
        let gone = try core.catchUp(before: owner, self, relation, to: values)
        if gone?.hasOwnerGone == true {
          // Those that are new stay, without an owner, as if they had been put into it before the others' save.
          return core.takeBack(shown ?? [], core.adopted(values), from: row, relation)
        }
        if let others = gone?.others, !others.isEmpty {
          let leaving = Set(others.map { ObjectIdentifier($0) })
          values.removeAll { leaving.contains(ObjectIdentifier($0)) }
        }
        try core.spreadDeletions()
        if hasLeft(owner) { return relateOutside(owner, .objects(values, generation: 0), property, values) }
        guard mayChange(owner, relation) else { return }
        // Whoever was told may have deleted some.
        values = told == nil ? core.adopted(values) : values.filter(core.isHere)
        owner._$header.pointee.status.insert(.listed)
      } while try !core.setMany(owner, self, relation, to: values, from: shown, isByHand: true, &told)
      forgetIdleMark(of: owner, .listed)
    } catch {
      core.couldNotChange(relation, of: self, error)
    }
  }

  /// Takes the mark of a relationship that the program has set from an object that the assignment did not change.
  func forgetIdleMark(of owner: any PersistentModel, _ mark: ModelStatus) {
    let status = owner._$header.pointee.status
    if status.contains(.stored), !status.contains(.changed) { owner._$header.pointee.status.remove(mark) }
  }

  /// Does what follows from an object's entering a to-many that is in memory, but for the list itself.
  ///
  /// - Returns: False where that is not all, and nothing was done that setting the whole list would not do.
  @usableFromInline
  package func add(_ member: any PersistentModel, to owner: any PersistentModel, _ property: Int) -> Bool {
    guard let relation = layout.relation(property), changesAlone(owner, member, relation) else { return false }
    return core.add(member, to: owner, self, relation)
  }

  /// Does what follows from an object's leaving a to-many that is in memory, but for the list itself.
  ///
  /// - Returns: False where that is not all, and nothing was done.
  @usableFromInline
  package func take(_ member: any PersistentModel, from owner: any PersistentModel, _ property: Int) -> Bool {
    guard let relation = layout.relation(property), changesAlone(owner, member, relation) else { return false }
    return core.take(member, from: owner, self, relation)
  }

  /// Whether nobody observes the two, since observers may do anything to the list meanwhile, and nothing waits that others
  /// have committed.
  private func changesAlone(
    _ owner: any PersistentModel, _ member: any PersistentModel, _ relation: RelationLayout
  ) -> Bool {
    !core.isOrphan && !core.relationMarks.hasUnspreadDeletions && !core.isToCatchUp(before: owner, relation)
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
  /// A change of a list goes with its owner. Members that were led to the owner here, and that the program takes out by that
  /// change, are not led there any more.
  ///
  /// - Parameter gone: The owner's row.
  func takeBack(_ shown: [Int64], _ values: [any PersistentModel], from gone: Int64, _ relation: RelationLayout) {
    guard let key = relation.mirrored, !key.isToMany, key.isOptional,
      let there = existingState(for: relation.destinationLayout)
    else { return }
    let kept = Set(values.rows)
    for row in shown where !kept.contains(row) {
      guard let member = there.find(row).map(there.erased), isHere(member), member._$key(key.property) == gone,
        key.isEdited(of: member)
      else { continue }
      setKey(member, there, key, 0)
    }
  }

  /// Setting a relationship cannot throw: the next save does.
  func couldNotChange(_ relation: RelationLayout, of state: EntityState, _ error: any Error) {
    Log.warning("\(state.layout.entityName).\(relation.name) could not be changed. \(error)")
    if faultError == nil { faultError = error }
  }

  private static let fewObjects = 16

  /// Whether others have deleted an object: it leaves lists by itself.
  @inline(__always)
  func hasVanished(_ model: any PersistentModel) -> Bool { model._$header.pointee.status.contains(.vanished) }

  /// Objects of this context: those that were in none are inserted, others are left out; each comes once.
  func adopted(_ models: [any PersistentModel]) -> [any PersistentModel] {
    if models.count <= ContextCore.fewObjects {
      // Looking through a few takes less time than a set of them.
      var result: [any PersistentModel] = []
      result.reserveCapacity(models.count)
      for model in models where !hasVanished(model) && !result.contains(where: { $0 === model }) && adopt(model) {
        result.append(model)
      }
      return result
    }
    var seen: Set<ObjectIdentifier> = []
    seen.reserveCapacity(models.count)
    return models.filter { !hasVanished($0) && seen.insert(ObjectIdentifier($0)).inserted && adopt($0) }
  }
}
