import LarderSupport

extension EntityState {
  /// Gives an object that leaves its context references in place of rows, so that it keeps what it was related to.
  ///
  /// Two objects that both leave must not keep each other for ever. So where the object at the other end holds this one
  /// in its to-many, the reference back is given up; if it must not be nil, the other is taken out of the list instead.
  ///
  /// - Parameter doUnsavedLeave: Whether what was never saved may leave as well without being deleted. Else the lists of what is not
  ///   deleted have it no more: none of them is walked through.
  func detach(_ model: any PersistentModel, doUnsavedLeave: Bool = true) {
    for relation in layout.relations where !relation.isToMany {
      let row = ToOneKey.shown(model._$key(relation.property))
      guard row > 0, let there = try? core.state(for: relation.destinationLayout) else {
        model._$change(relation.property, .object(nil))
        continue
      }
      guard let other = there.find(row).map(there.erased) else {
        let departed = core.relations.departed[RowPlace(there, row)]
        if let departed, let inverse = relation.mirrored { part(departed, inverse, from: model) }
        model._$change(relation.property, .object(relation.isOptional ? nil : departed ?? core.stand(in: there, row)))
        continue
      }
      let otherLeaves =
        other._$header.pointee.status.isDisjoint(with: .stored)
        || other._$header.pointee.status.contains(.deleted)
      var holds = false
      if otherLeaves, let inverse = relation.mirrored {
        holds =
          inverse.isToMany
          ? (doUnsavedLeave || other._$header.pointee.status.contains(.deleted))
            && core.holdsWhileLeaving(model, other, inverse) : model._$header.pointee.rowID > row || model === other
      }
      if holds, relation.isOptional {
        model._$change(relation.property, .object(nil))
      } else {
        if holds, let inverse = relation.mirrored, inverse.isToMany { core.partWhileLeaving([model], other, inverse) }
        model._$change(relation.property, .object(other))
      }
    }
    for relation in layout.relations {
      if case .link(_, let isSource) = relation.form, !isSource || relation.isSymmetric {
        // Two lists of objects that are both going would hold each other.
        model._$change(relation.property, .objects([], generation: 0))
      } else if case .many(let members?) = model._$relation(relation.property) {
        // What has left before did not know of this one any more, and may lead back to it.
        let gone = members.filter { $0._$header.pointee.state == nil }
        if !gone.isEmpty { core.partWhileLeaving(gone, model, relation) }
      }
    }
  }
}

extension EntityState {
  /// An object that left before another knew it then: it is not to keep it.
  private func part(_ departed: any PersistentModel, _ relation: RelationLayout, from model: any PersistentModel) {
    guard departed._$header.pointee.state == nil else { return }
    switch departed._$relation(relation.property) {
    case .many: departed._$change(relation.property, .remove(model))
    case .one(_, let object?) where object === model: departed._$change(relation.property, .object(nil))
    default: break
    }
  }
}

extension ContextCore {
  /// Stands for an object that can no longer be had.
  fileprivate func stand(in state: EntityState, _ row: Int64) -> any PersistentModel {
    stand(state, row, state.layout.type)
  }

  private func stand<Model: PersistentModel>(
    _ state: EntityState, _ row: Int64, _ type: Model.Type
  ) -> any PersistentModel {
    if let model = try? load(PersistentIdentifier(identity: state.identity, key: row, isSaved: true), as: type) {
      return model
    }
    return missing(
      PersistentIdentifier(identity: state.identity, key: row, isSaved: true), type, "it was deleted, too")
  }
}
