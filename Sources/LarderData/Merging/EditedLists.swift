// A to-many that was changed here, and that others have changed, too: what each has added is in it, and what each has taken
// out is not.

extension ContextCore {
  /// Merges the changes of others into to-manys that were changed here.
  ///
  /// - Parameter isChanged: Whether others have changed rows of a model, given by the topmost class's state.
  func mergeEditedLists(_ isChanged: (EntityState) -> Bool) throws {
    for state in known where !state.formerRelations.isEmpty {
      var owners: [Int: [any PersistentModel]] = [:]
      for former in state.formerRelations.values where former.mergedGeneration != relations.generation {
        guard let relation = state.own(former.model).layout.relation(former.property), relation.isToMany,
          isLoadedAndStored(former.model, relation),
          let there = existingState(for: relation.destinationLayout)?.root, isChanged(there) || isChanged(state.root)
        else { continue }
        owners[former.property, default: []].append(former.model)
      }
      for (property, owners) in owners {
        guard let relation = owners.first.flatMap({ state.own($0).layout.relation(property) }) else { continue }
        let stored = try loadGroups(owners, state, relation)
        for owner in owners { state.merge(stored[owner._$header.pointee.rowID] ?? [], into: owner, relation) }
      }
    }
  }

  private func isLoadedAndStored(_ model: any PersistentModel, _ relation: RelationLayout) -> Bool {
    let header = model._$header
    guard header.pointee.status.contains(.stored), !header.pointee.status.contains(.deleted) else { return false }
    if case .many(_?) = model._$relation(relation.property) { return true }
    return false
  }
}

extension EntityState {
  fileprivate func merge(_ stored: [any PersistentModel], into owner: any PersistentModel, _ relation: RelationLayout) {
    let place = RelationPlace(owner, relation.property)
    guard let former = formerRelations[place], case .many(let current?) = owner._$relation(relation.property) else {
      return
    }
    formerRelations[place]?.mergedGeneration = core.relations.generation
    let present = Set(current.map { ObjectIdentifier($0) })
    var result: [any PersistentModel]
    if case .link = relation.form, case .many(let base?) = former.value {
      let before = Set(base.map { ObjectIdentifier($0) })
      let now = Set(stored.map { ObjectIdentifier($0) })
      result = current.filter { now.contains(ObjectIdentifier($0)) || !before.contains(ObjectIdentifier($0)) }
      result += stored.filter { !present.contains(ObjectIdentifier($0)) && !before.contains(ObjectIdentifier($0)) }
      // The save compares with what is stored by now.
      formerRelations[place]?.value = .many(stored)
      formerRelations[place]?.generation = Int64(core.relations.generation)
    } else {
      // The members' own keys say where they are: what is stored was read with what is pending.
      let now = Set(stored.map { ObjectIdentifier($0) })
      result = current.filter { now.contains(ObjectIdentifier($0)) }
      result += stored.filter { !present.contains(ObjectIdentifier($0)) }
    }
    if result.elementsEqual(current, by: ===) { return }
    observe(owner, relation.property) {
      owner._$change(relation.property, .objects(result, generation: core.relations.stamp))
    }
  }
}
