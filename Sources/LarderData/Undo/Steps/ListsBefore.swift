import LarderSupport

/// To-manys as they were before a step: as it was noted when they were first changed, or else as they are stored.
struct ListsBefore {
  private let recorder: UndoRecorder
  private var core: ContextCore { recorder.core }
  private var stored: StoredLists
  /// Those of objects that are there, as far as they changed.
  private var changed: [RelationPlace: [Int64]] = [:]

  init(_ recorder: UndoRecorder) {
    self.recorder = recorder
    stored = StoredLists(recorder.core)
  }

  /// Reads what has to be read, and has the changed ones in memory.
  mutating func load(_ deleted: [(model: any PersistentModel, state: EntityState)], _ scope: StepScope) throws {
    for (model, state) in deleted { want(of: model, state) }
    let lists = changedLists(scope)
    for (former, state, relation) in lists where noted(former.value, of: former.model, relation) == nil {
      stored.want(relation, of: former.model._$header.pointee.rowID, state)
    }
    try stored.read()
    var unloaded: [ObjectIdentifier: (state: EntityState, relation: RelationLayout, owners: [any PersistentModel])] =
      [:]
    for (former, state, relation) in lists {
      changed[RelationPlace(former.model, former.property)] = try members(
        former.value, of: former.model, state, relation)
      guard case .many(nil) = former.model._$relation(former.property) else { continue }
      unloaded[ObjectIdentifier(relation), default: (state, relation, [])].owners.append(former.model)
    }
    for (state, relation, owners) in unloaded.values { try core.fill(owners, state, relation) }
  }

  private func changedLists(
    _ scope: StepScope
  ) -> [(former: FormerRelation, state: EntityState, relation: RelationLayout)] {
    var result: [(former: FormerRelation, state: EntityState, relation: RelationLayout)] = []
    for part in scope.parts where !part.state.formerRelations.isEmpty {
      let relations = part.state.layout.relations.filter(\.isToMany)
      for model in part.inserted + part.changed where !model._$header.pointee.status.contains(.deleted) {
        for relation in relations {
          guard let former = part.state.formerRelations[RelationPlace(model, relation.property)] else { continue }
          result.append((former, part.state, relation))
        }
      }
    }
    return result
  }

  /// What was in a list that changed; nil if it did not.
  subscript(_ place: RelationPlace) -> [Int64]? { changed[place] }

  // MARK: Of what is deleted

  /// All lists of an object that goes with the step.
  mutating func lists(of model: any PersistentModel, _ state: EntityState) throws -> [Int: ObjectChange.List] {
    var result: [Int: ObjectChange.List] = [:]
    for relation in state.layout.relations where relation.isToMany {
      result[relation.property] = ObjectChange.List(
        before: try image(of: model, state, relation)
          ?? members(value(of: model, state, relation), of: model, state, relation),
        after: [], stored: try storedPairs(of: model, state, relation))
    }
    return result
  }

  private mutating func want(of model: any PersistentModel, _ state: EntityState) {
    for relation in state.layout.relations where relation.isToMany {
      let isKnown =
        image(of: model, state, relation) != nil
        || noted(value(of: model, state, relation), of: model, relation) != nil
      if isKnown, !arePairsUnknown(of: model, state, relation) { continue }
      stored.want(relation, of: model._$header.pointee.rowID, state)
    }
  }

  private func image(
    of model: any PersistentModel, _ state: EntityState, _ relation: RelationLayout
  ) -> [Int64]? {
    recorder.images[RowPlace(state, model._$header.pointee.rowID)]?.lists[relation.property]
  }

  /// Whether a list of pairs may have been loaded while a member was deleted that is back by now: then what was noted of it
  /// lacks that one, and what the store has is what was there before.
  private func mayLack(_ model: any PersistentModel, _ state: EntityState, _ relation: RelationLayout) -> Bool {
    relation.isLink && core.relationMarks.isLoadedWithPending && model._$header.pointee.status.contains(.stored)
  }

  private func value(
    of model: any PersistentModel, _ state: EntityState, _ relation: RelationLayout
  ) -> RelationValue {
    if mayLack(model, state, relation) { return .many(nil) }
    return state.formerRelations[RelationPlace(model, relation.property)]?.value ?? model._$relation(relation.property)
  }

  /// What the store has in a list of pairs that was changed here.
  private mutating func storedPairs(
    of model: any PersistentModel, _ state: EntityState, _ relation: RelationLayout
  ) throws -> [Int64]? {
    if arePairsUnknown(of: model, state, relation) {
      return try stored.members(relation, of: model._$header.pointee.rowID, state)
    }
    guard relation.isLink,
      case .many(let base?)? = state.formerRelations[RelationPlace(model, relation.property)]?.value
    else { return nil }
    return base.map { $0._$header.pointee.rowID }
  }

  private func arePairsUnknown(
    of model: any PersistentModel, _ state: EntityState, _ relation: RelationLayout
  ) -> Bool {
    if mayLack(model, state, relation) { return true }
    guard relation.isLink, case .many(nil)? = state.formerRelations[RelationPlace(model, relation.property)]?.value
    else { return false }
    return true
  }

  // MARK: In memory, or stored

  private mutating func members(
    _ value: RelationValue, of model: any PersistentModel, _ state: EntityState, _ relation: RelationLayout
  ) throws -> [Int64] {
    try noted(value, of: model, relation) ?? stored.members(relation, of: model._$header.pointee.rowID, state)
  }

  private func noted(
    _ value: RelationValue, of model: any PersistentModel, _ relation: RelationLayout
  ) -> [Int64]? {
    guard case .many(let members?) = value, !core.isOutdated(model, relation),
      !core.hasReturned(relation, of: model, besides: members)
    else { return nil }
    return members.map { $0._$header.pointee.rowID }
  }
}

extension ContextCore {
  /// Whether a list was loaded while some of its members were deleted, which are in it again: where they stood is not
  /// known from it.
  func hasReturned(
    _ relation: RelationLayout, of owner: any PersistentModel, besides former: [any PersistentModel]
  ) -> Bool {
    guard case .mirror(let key) = relation.form, owner._$header.pointee.status.contains(.stored),
      case .many(let members?) = owner._$relation(relation.property),
      let bit = relation.destinationLayout.relation(key)?.bit
    else { return false }
    let known = Set(former.map { ObjectIdentifier($0) })
    return members.contains { member in
      let header = member._$header
      return header.pointee.status.contains(.stored) && header.pointee.changed & bit == 0
        && !known.contains(ObjectIdentifier(member))
    }
  }
}
