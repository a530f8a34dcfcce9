// Inserts an object together with its related objects: objects are connected first, and inserted by any one of them.

import LarderSupport

extension _ContextCore {
  /// Inserts an object, with every object that it references, unless it is in this context already.
  ///
  /// - Parameter isRevived: Whether an object whose row was deleted becomes a new row; otherwise it is refused.
  /// - Returns: Whether the object is in this context. If it is refused, the next save throws the reason.
  func insertIfNeeded(_ model: any PersistentModel, reinsertsDeleted isRevived: Bool = false) -> Bool {
    let header = model._$header
    if let tracker = header.pointee.tracker {
      if tracker.core === self {
        guard header.pointee.status.contains(.deleted), !isRevived else { return true }
        rejectInsertion(model, "is deleted. Insert it first, or make a new one")
        return false
      }
      rejectInsertion(model, "belongs to another context. Fetch it here by its identifier")
      return false
    }
    if header.pointee.status.contains(.rowMissing), !isRevived {
      rejectInsertion(model, "is deleted. Insert it first, or make a new one")
      return false
    }
    insertGraph(model)
    return header.pointee.tracker?.core === self
  }

  private func rejectInsertion(_ model: any PersistentModel, _ reason: String) {
    reject(model, "inserted or related to another", because: reason)
  }

  /// Makes the next save throw an error which says that an operation on a model was refused.
  func reject(_ model: any PersistentModel, _ what: String, because reason: String) {
    let name = String(describing: type(of: model))
    pendingError = SwiftDataError.modelValidationFailure.explained(
      "\(name) \(model._$header.pointee.rowID) was not \(what), because it \(reason).")
  }

  /// Returns the key by which a required to-one reads as an object that it cannot reference. The save refuses it.
  func makeUnsavableKey(to object: any PersistentModel, _ relationship: RelationshipLayout) -> Int64 {
    guard let there = try? tracker(for: relationship.destinationLayout) else { return 0 }
    // Far above every row ID that is given out.
    let row = Int64.max - 1 - Int64(relationships.requiredDeletedObjects.count)
    relationships.requiredDeletedObjects[RowKey(there, row)] = object
    return _ToOneKey.unsavable(row)
  }

  /// Inserts an object, and the objects without a context that its relationships reference.
  func insertGraph(_ root: any PersistentModel) {
    let rootTracker: _EntityTracker
    do {
      rootTracker = try insertOne(root)
    } catch {
      pendingError = error
      return
    }
    if rootTracker.layout.relationships.isEmpty { return }
    var waiting: [any PersistentModel] = []
    for relationship in rootTracker.layout.relationships {
      waiting += detachedObjects(in: root._$relationshipValue(relationship.property))
    }
    var graph = GraphInverseUpdater(core: self)
    if waiting.isEmpty {
      // Most objects are inserted alone.
      graph.connectToManys(root, rootTracker)
      graph.connectToOnes(root, rootTracker)
      return
    }
    var entered = [(model: root, tracker: rootTracker)]
    while let model = waiting.popLast() {
      let header = model._$header
      guard header.pointee.tracker == nil, !header.pointee.status.contains(.rowMissing) else { continue }
      do {
        let tracker = try insertOne(model)
        entered.append((model, tracker))
        for relationship in tracker.layout.relationships {
          waiting += detachedObjects(in: model._$relationshipValue(relationship.property))
        }
      } catch {
        pendingError = error
      }
    }
    for (model, tracker) in entered where !tracker.layout.relationships.isEmpty { graph.connectToManys(model, tracker) }
    for (model, tracker) in entered where !tracker.layout.relationships.isEmpty { graph.connectToOnes(model, tracker) }
  }

  private func insertOne<Model: PersistentModel>(_ model: Model) throws -> _EntityTracker {
    let tracker = try tracker(for: type(of: model)._$layout)
    guard tracker.layout.type == type(of: model) else {
      throw SwiftDataError.modelValidationFailure.explained(
        "\(type(of: model)) inherits from the model \(tracker.layout.entityName), and is none itself: as a "
          + "\(tracker.layout.entityName) it would lose what it adds. Write @Model before it.")
    }
    tracker.insert(model)
    return tracker
  }

  /// Returns the objects of a relationship that are in no context, the last one first: the caller takes them from the end.
  private func detachedObjects(in value: _RelationshipValue) -> [any PersistentModel] {
    switch value {
    case .none, .boxed: []
    case .one(_, let object): object.map { $0._$header.pointee.tracker == nil ? [$0] : [] } ?? []
    case .many(let objects): (objects ?? []).reversed().filter { $0._$header.pointee.tracker == nil }
    }
  }
}

/// Updates both ends of the relationships of new objects. A to-many that the program filled comes before the to-one that
/// mirrors it.
private struct GraphInverseUpdater {
  let core: _ContextCore
  /// The members of the to-manys that were searched, so that a long one is not searched for each member.
  private var memberSets: [RelationshipKey: Set<ObjectIdentifier>] = [:]

  init(core: _ContextCore) { self.core = core }

  mutating func connectToManys(_ model: any PersistentModel, _ tracker: _EntityTracker) {
    for relationship in tracker.layout.relationships where relationship.isToMany {
      guard case .many(let objects) = model._$relationshipValue(relationship.property) else { continue }
      let present = core.insertAllIfNeeded(objects ?? [])
      if present.count == objects?.count {
        model._$applyChange(relationship.property, .currentIfSet(generation: core.relationMarks.generation))
      } else {
        model._$applyChange(relationship.property, .objects(present, generation: core.relationMarks.generation))
      }
      if case .joinTable = relationship.storage, !present.isEmpty {
        core.recordLoadedJoinList(model, relationship.property)
      }
      guard let inverse = relationship.inverse, let there = try? core.tracker(for: relationship.destinationLayout)
      else {
        continue
      }
      for other in present {
        if inverse.isToMany {
          appendMemberOnce(other, there, inverse, model)
        } else {
          reassign(other, there, inverse, to: model, tracker, relationship)
        }
      }
    }
  }

  /// Makes a member of a to-many reference its owner.
  private func reassign(
    _ other: any PersistentModel, _ there: _EntityTracker, _ key: RelationshipLayout, to model: any PersistentModel,
    _ tracker: _EntityTracker, _ relationship: RelationshipLayout
  ) {
    let row = model._$header.pointee.rowID
    let former = other._$foreignKey(key.property)
    if former == row { return }
    if former > 0, let object = tracker.declaringTracker(relationship.property).find(former) {
      core.removeMembers(tracker.declaringTracker(relationship.property).erased(object), tracker, relationship, other)
    }
    core.setForeignKey(other, there, key, row)
  }

  mutating func connectToOnes(_ model: any PersistentModel, _ tracker: _EntityTracker) {
    for relationship in tracker.layout.relationships where !relationship.isToMany {
      guard case .one(let row, let object?) = model._$relationshipValue(relationship.property) else { continue }
      // The owner has the object in its to-many, which comes first.
      if row > 0 {
        model._$applyChange(relationship.property, .foreignKey(row))
        continue
      }
      guard core.insertIfNeeded(object) else {
        model._$applyChange(
          relationship.property,
          .foreignKey(relationship.isOptional ? 0 : core.makeUnsavableKey(to: object, relationship)))
        continue
      }
      model._$applyChange(relationship.property, .foreignKey(0))
      model._$header.pointee.status.insert(.toOneSet)
      do {
        try core.setToOne(model, tracker, relationship, to: object)
      } catch {
        core.reportChangeFailure(relationship, of: tracker, error)
      }
    }
  }

  private mutating func appendMemberOnce(
    _ other: any PersistentModel, _ there: _EntityTracker, _ inverse: RelationshipLayout, _ model: any PersistentModel
  ) {
    let place = RelationshipKey(other, inverse.property)
    if memberSets[place] == nil {
      guard case .many(let objects) = other._$relationshipValue(inverse.property) else { return }
      memberSets[place] = Set((objects ?? []).map { ObjectIdentifier($0) })
    }
    guard memberSets[place]?.insert(ObjectIdentifier(model)).inserted == true else { return }
    core.appendMember(other, there, inverse, model)
  }
}
