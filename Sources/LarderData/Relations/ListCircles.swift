import LarderSupport

/// To-manys hold their objects. Where these lead back by to-manys of their own, a whole circle would be held for ever;
/// so such lists are let go when the context goes.
extension EntityState {
  /// Whether the objects of a to-many may, by to-manys of theirs, hold the object that holds them.
  func mayLeadBack(_ relation: RelationLayout) -> Bool {
    if let known = leadingBack { return known.contains(relation.property) }
    let found = Set(layout.relations.filter { $0.isToMany && leadsBack($0) }.map(\.property))
    leadingBack = found
    return found.contains(relation.property)
  }

  /// An object may be of any class of its hierarchy, and have what that class adds.
  private func leadsBack(_ relation: RelationLayout) -> Bool {
    var waiting = [relation.destinationLayout.root]
    var seen: Set<Int> = []
    while let next = waiting.popLast() {
      if next === layout.root { return true }
      guard seen.insert(next.id).inserted else { continue }
      for member in store.hierarchy(of: next).members {
        waiting += member.relations.filter(\.isToMany).map(\.destinationLayout.root)
      }
    }
    return false
  }

  /// Has a to-many loaded anew when it is next asked for, unless it was changed since the last save.
  ///
  /// - Parameter keepsShown: Whether it is still to be known what the program was shown of it.
  func unload(_ model: any PersistentModel, _ property: Int, keepsShown: Bool = true) {
    guard model._$header.pointee.status.contains(.stored), layout.relation(property)?.isEdited(of: model) != true else {
      return
    }
    if keepsShown { noteShown(model, property) }
    model._$change(property, .objects(nil, generation: 0))
  }

  fileprivate func unloadLists(where condition: (RelationLayout) -> Bool) {
    let lists = layout.relations.filter { $0.isToMany && condition($0) }
    if lists.isEmpty { return }
    forEachInstance { model in
      for relation in lists where model._$key(relation.property) != 0 {
        unload(model, relation.property, keepsShown: false)
      }
    }
  }
}

extension ContextCore {
  /// Nothing is pending: lets go of what relationships hold, for the context has gone.
  func unloadCircles() {
    _ = relations.kept.removeAll()
    _ = relations.changesEnded()
    _ = relations.linkHolders.removeAll()
    for state in known where state.layout.hasRelations { state.unloadLists { state.mayLeadBack($0) } }
  }

  /// After a rollback: lists that were loaded with what was pending then hold objects that have left, and these them.
  func unloadListsWithPending() {
    guard relationMarks.isLoadedWithPending else { return }
    // To-ones whose key is at the other end are asked for anew, too.
    relationMarks.listsOutdated()
    for state in known where state.layout.hasRelations { state.unloadLists { _ in true } }
    relationMarks.isLoadedWithPending = false
  }
}
