// An object brings into a context what it is related to: objects are put together first and inserted by any of them.

import LarderSupport

extension ContextCore {
  /// Makes sure that an object is in this context, with everything that it leads to.
  ///
  /// - Parameter isRevived: Whether an object whose row was deleted becomes a new row; else it is refused.
  /// - Returns: Whether it is. What cannot be is told by the next save.
  func adopt(_ model: any PersistentModel, isRevived: Bool = false) -> Bool {
    let header = model._$header
    if let state = header.pointee.state {
      if state.core === self {
        guard header.pointee.status.contains(.deleted), !isRevived else { return true }
        refuse(model, "is deleted. Insert it first, or make a new one")
        return false
      }
      refuse(model, "belongs to another context. Fetch it here by its identifier")
      return false
    }
    if header.pointee.status.contains(.gone), !isRevived {
      refuse(model, "is deleted. Insert it first, or make a new one")
      return false
    }
    insertGraph(model)
    return header.pointee.state?.core === self
  }

  private func refuse(_ model: any PersistentModel, _ reason: String) {
    refuse(model, "inserted or related to another", because: reason)
  }

  /// Has the next save say what was not done to a model.
  func refuse(_ model: any PersistentModel, _ what: String, because reason: String) {
    let name = String(describing: type(of: model))
    faultError = SwiftDataError.modelValidationFailure.explained(
      "\(name) \(model._$header.pointee.rowID) was not \(what), because it \(reason).")
  }

  /// The key by which a to-one that must not be nil reads as an object that it cannot lead to. The save refuses it.
  func lostKey(to object: any PersistentModel, _ relation: RelationLayout) -> Int64 {
    guard let there = try? state(for: relation.destinationLayout) else { return 0 }
    // Far above every row that is given out.
    let row = Int64.max - 1 - Int64(relations.departed.count)
    relations.departed[RowPlace(there, row)] = object
    return ToOneKey.lost(row)
  }

  /// Inserts an object and those without a context that its relationships lead to.
  func insertGraph(_ root: any PersistentModel) {
    let rootState: EntityState
    do {
      rootState = try enter(root)
    } catch {
      faultError = error
      return
    }
    if rootState.layout.relations.isEmpty { return }
    var waiting: [any PersistentModel] = []
    for relation in rootState.layout.relations { waiting += strangers(root._$relation(relation.property)) }
    var graph = GraphWiring(core: self)
    if waiting.isEmpty {
      // Most objects come by themselves.
      graph.wireMany(root, rootState)
      graph.wireOne(root, rootState)
      return
    }
    var entered = [(model: root, state: rootState)]
    while let model = waiting.popLast() {
      let header = model._$header
      guard header.pointee.state == nil, !header.pointee.status.contains(.gone) else { continue }
      do {
        let state = try enter(model)
        entered.append((model, state))
        for relation in state.layout.relations { waiting += strangers(model._$relation(relation.property)) }
      } catch {
        faultError = error
      }
    }
    for (model, state) in entered where !state.layout.relations.isEmpty { graph.wireMany(model, state) }
    for (model, state) in entered where !state.layout.relations.isEmpty { graph.wireOne(model, state) }
  }

  private func enter<Model: PersistentModel>(_ model: Model) throws -> EntityState {
    let state = try state(for: type(of: model)._$layout)
    guard state.layout.type == type(of: model) else {
      throw SwiftDataError.modelValidationFailure.explained(
        "\(type(of: model)) inherits from the model \(state.layout.entityName), and is none itself: as a "
          + "\(state.layout.entityName) it would lose what it adds. Write @Model before it.")
    }
    state.insert(model)
    return state
  }

  /// The objects of a relationship that are in no context, the last one first: they are taken from the end.
  private func strangers(_ value: RelationValue) -> [any PersistentModel] {
    switch value {
    case .none, .held: []
    case .one(_, let object): object.map { $0._$header.pointee.state == nil ? [$0] : [] } ?? []
    case .many(let objects): (objects ?? []).reversed().filter { $0._$header.pointee.state == nil }
    }
  }
}

/// Brings both ends of the relationships of new objects in step. A to-many that somebody filled comes before the to-one
/// that mirrors it.
private struct GraphWiring {
  let core: ContextCore
  /// The members of to-manys that have been asked for, so that a long one is not searched for each of them.
  private var members: [RelationPlace: Set<ObjectIdentifier>] = [:]

  init(core: ContextCore) { self.core = core }

  mutating func wireMany(_ model: any PersistentModel, _ state: EntityState) {
    for relation in state.layout.relations where relation.isToMany {
      guard case .many(let objects) = model._$relation(relation.property) else { continue }
      let present = core.adopted(objects ?? [])
      if present.count == objects?.count {
        model._$change(relation.property, .entered(generation: core.relationMarks.generation))
      } else {
        model._$change(relation.property, .objects(present, generation: core.relationMarks.generation))
      }
      if case .link = relation.form, !present.isEmpty {
        core.noteLinkHolder(model, relation.property)
      }
      guard let inverse = relation.mirrored, let there = try? core.state(for: relation.destinationLayout) else {
        continue
      }
      for other in present {
        if inverse.isToMany {
          joinOnce(other, there, inverse, model)
        } else {
          take(other, there, inverse, for: model, state, relation)
        }
      }
    }
  }

  /// Makes an object of a to-many lead back.
  private func take(
    _ other: any PersistentModel, _ there: EntityState, _ key: RelationLayout, for model: any PersistentModel,
    _ state: EntityState, _ relation: RelationLayout
  ) {
    let row = model._$header.pointee.rowID
    let former = other._$key(key.property)
    if former == row { return }
    if former > 0, let object = state.declaring(relation.property).find(former) {
      core.leave(state.declaring(relation.property).erased(object), state, relation, other)
    }
    core.setKey(other, there, key, row)
  }

  mutating func wireOne(_ model: any PersistentModel, _ state: EntityState) {
    for relation in state.layout.relations where !relation.isToMany {
      guard case .one(let row, let object?) = model._$relation(relation.property) else { continue }
      // Its owner has it in its to-many, and comes first.
      if row > 0 {
        model._$change(relation.property, .key(row))
        continue
      }
      guard core.adopt(object) else {
        model._$change(relation.property, .key(relation.isOptional ? 0 : core.lostKey(to: object, relation)))
        continue
      }
      model._$change(relation.property, .key(0))
      model._$header.pointee.status.insert(.led)
      do {
        try core.setOne(model, state, relation, to: object)
      } catch {
        core.couldNotChange(relation, of: state, error)
      }
    }
  }

  private mutating func joinOnce(
    _ other: any PersistentModel, _ there: EntityState, _ inverse: RelationLayout, _ model: any PersistentModel
  ) {
    let place = RelationPlace(other, inverse.property)
    if members[place] == nil {
      guard case .many(let objects) = other._$relation(inverse.property) else { return }
      members[place] = Set((objects ?? []).map { ObjectIdentifier($0) })
    }
    guard members[place]?.insert(ObjectIdentifier(model)).inserted == true else { return }
    core.join(other, there, inverse, model)
  }
}
