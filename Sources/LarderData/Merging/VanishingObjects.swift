import LarderSupport

/// Objects whose rows others have deleted. They leave the context with the values that they have, but for those that are
/// edited here: the save says what has happened, unless what is stored is to win.
struct VanishingObjects {
  private let core: ContextCore
  private var leaving: [(model: any PersistentModel, state: EntityState)] = []

  init(_ core: ContextCore) { self.core = core }

  mutating func add(_ model: any PersistentModel) {
    let header = model._$header
    guard let state = header.pointee.state, header.pointee.status.contains(.stored) else { return }
    // The save says so, or deletes it; a rollback lets it go.
    if header.pointee.status.contains(.deleted)
      || (state.hasEdits(header) && core.mergePolicy != .mergeByPropertyStoreTrump)
    {
      return state.leaveBehind(header.pointee.rowID)
    }
    leaving.append((model, state))
  }

  func leave() {
    if leaving.isEmpty { return }
    for (model, state) in leaving {
      state.dropEdits(of: model)
      model._$header.pointee.status.insert(.deleted)
      takeOutOfEdited(model, state)
    }
    for (model, state) in leaving where state.layout.hasRelations { state.detach(model) }
    LeavingCircles.cut(among: leaving.filter(\.state.layout.hasRelations))
    for (model, state) in leaving { state.release(model._$header, status: .gone) }
  }

  /// Lists that were changed here are not read anew, nor to-ones of which the other end has the key.
  private func takeOutOfEdited(_ model: any PersistentModel, _ state: EntityState) {
    for other in core.known where other.hasChanges {
      for relation in other.layout.relations where state.layout.inherits(from: relation.destinationLayout) {
        if case .key = relation.form {
          if relation.isSymmetric { takeOut(model, of: other, relation) }
          continue
        }
        for object in other.changed + other.inserted {
          let owner = other.erased(object)
          guard relation.isToMany else {
            if owner._$key(relation.property) == model._$header.pointee.rowID {
              other.observe(owner, relation.property) { owner._$change(relation.property, .key(0)) }
            }
            continue
          }
          other.linkEdits[RelationPlace(owner, relation.property)]?.added.removeAll { $0 === model }
          guard owner._$header.pointee.changed & relation.bit != 0, owner.holds(model, in: relation.property) else {
            continue
          }
          other.observe(owner, relation.property) { owner._$change(relation.property, .remove(model)) }
        }
      }
    }
  }

  /// Of a to-one that is its own inverse both rows have a key. Where the one that goes loses its own, the other would lead
  /// to it still when others bring it back.
  private func takeOut(_ model: any PersistentModel, of state: EntityState, _ relation: RelationLayout) {
    for object in state.changed + state.inserted {
      let owner = state.erased(object)
      guard owner !== model,
        owner._$header.pointee.changed & relation.bit != 0 || owner._$header.pointee.status.contains(.inserted),
        owner._$key(relation.property) == model._$header.pointee.rowID
      else { continue }
      core.setKey(owner, state, relation, 0)
    }
  }
}
