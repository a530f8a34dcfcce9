import LarderSupport

extension _EntityTracker {
  /// Replaces the rows of an object that leaves its context with references, so that it keeps its related objects.
  ///
  /// Two objects that both leave must not hold each other forever. So where the object at the other end holds this one in
  /// its to-many, the reference back is removed. If that is required, the object is removed from the list instead.
  ///
  /// - Parameter doUnsavedLeave: Whether objects that were never saved may leave as well, without being deleted. Otherwise the
  ///   lists of objects that are not deleted do not contain the object any more, and none of them is searched.
  func detach(_ model: any PersistentModel, detachesUnsaved doUnsavedLeave: Bool = true) {
    for relationship in layout.relationships where !relationship.isToMany {
      let row = _ToOneKey.targetRow(of: model._$foreignKey(relationship.property))
      guard row > 0, let there = try? core.tracker(for: relationship.destinationLayout) else {
        model._$applyChange(relationship.property, .object(nil))
        continue
      }
      guard let other = there.find(row).map(there.erased) else {
        let departed = core.relationships.requiredDeletedObjects[RowKey(there, row)]
        if let departed, let inverse = relationship.inverse { removeReference(departed, inverse, to: model) }
        model._$applyChange(
          relationship.property, .object(relationship.isOptional ? nil : departed ?? core.placeholder(in: there, row)))
        continue
      }
      let otherLeaves =
        other._$header.pointee.status.isDisjoint(with: .stored)
        || other._$header.pointee.status.contains(.deleted)
      var holds = false
      if otherLeaves, let inverse = relationship.inverse {
        holds =
          inverse.isToMany
          ? (doUnsavedLeave || other._$header.pointee.status.contains(.deleted))
            && core.containsDuringDetachment(model, other, inverse)
          : model._$header.pointee.rowID > row || model === other
      }
      if holds, relationship.isOptional {
        model._$applyChange(relationship.property, .object(nil))
      } else {
        if holds, let inverse = relationship.inverse, inverse.isToMany {
          core.removeDuringDetachment([model], other, inverse)
        }
        model._$applyChange(relationship.property, .object(other))
      }
    }
    for relationship in layout.relationships {
      if case .joinTable(_, let isSource) = relationship.storage, !isSource || relationship.isSymmetric {
        // Two lists of objects that are both leaving would hold each other.
        model._$applyChange(relationship.property, .objects([], generation: 0))
      } else if case .many(let members?) = model._$relationshipValue(relationship.property) {
        // Members that left before did not know this object any more, and may reference it.
        let gone = members.filter { $0._$header.pointee.tracker == nil }
        if !gone.isEmpty { core.removeDuringDetachment(gone, model, relationship) }
      }
    }
  }
}

extension _EntityTracker {
  /// Removes the reference of an object that left earlier to one that leaves now, which it must not hold.
  private func removeReference(
    _ departed: any PersistentModel, _ relationship: RelationshipLayout, to model: any PersistentModel
  ) {
    guard departed._$header.pointee.tracker == nil else { return }
    switch departed._$relationshipValue(relationship.property) {
    case .many: departed._$applyChange(relationship.property, .remove(model))
    case .one(_, let object?) where object === model: departed._$applyChange(relationship.property, .object(nil))
    default: break
    }
  }
}

extension _ContextCore {
  /// Returns a substitute for an object that cannot be loaded any more.
  fileprivate func placeholder(in tracker: _EntityTracker, _ row: Int64) -> any PersistentModel {
    placeholder(tracker, row, tracker.layout.type)
  }

  private func placeholder<Model: PersistentModel>(
    _ tracker: _EntityTracker, _ row: Int64, _ type: Model.Type
  ) -> any PersistentModel {
    if let model = try? loadModel(PersistentIdentifier(identity: tracker.identity, key: row, isSaved: true), as: type) {
      return model
    }
    return missingRowPlaceholder(
      PersistentIdentifier(identity: tracker.identity, key: row, isSaved: true), type, "it was deleted, too")
  }
}
