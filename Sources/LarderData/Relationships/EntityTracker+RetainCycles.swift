import LarderSupport

/// To-manys hold their objects. Where these lead back by to-manys of their own, a whole circle would be held for ever;
/// so such lists are let go when the context goes.
extension _EntityTracker {
  /// Whether the objects of a to-many may, by to-manys of theirs, hold the object that holds them.
  func mayFormRetainCycle(_ relationship: RelationshipLayout) -> Bool {
    if let known = cyclicToManys { return known.contains(relationship.property) }
    let found = Set(layout.relationships.filter { $0.isToMany && formsRetainCycle($0) }.map(\.property))
    cyclicToManys = found
    return found.contains(relationship.property)
  }

  /// An object may be of any class of its hierarchy, and have what that class adds.
  private func formsRetainCycle(_ relationship: RelationshipLayout) -> Bool {
    var waiting = [relationship.destinationLayout.root]
    var seen: Set<Int> = []
    while let next = waiting.popLast() {
      if next === layout.root { return true }
      guard seen.insert(next.id).inserted else { continue }
      for member in store.hierarchy(of: next).members {
        waiting += member.relationships.filter(\.isToMany).map(\.destinationLayout.root)
      }
    }
    return false
  }

  /// Has a to-many loaded anew when it is next asked for, unless it was changed since the last save.
  ///
  /// - Parameter keepsShown: Whether it is still to be known what the program was shown of it.
  func unload(_ model: any PersistentModel, _ property: Int, recordsBase keepsShown: Bool = true) {
    guard model._$header.pointee.status.contains(.stored), layout.relationship(property)?.isEdited(of: model) != true
    else {
      return
    }
    if keepsShown { recordBase(model, property) }
    model._$applyChange(property, .objects(nil, generation: 0))
  }

  fileprivate func unloadToManys(where condition: (RelationshipLayout) -> Bool) {
    let lists = layout.relationships.filter { $0.isToMany && condition($0) }
    if lists.isEmpty { return }
    forEachInstance { model in
      for relationship in lists where model._$foreignKey(relationship.property) != 0 {
        unload(model, relationship.property, recordsBase: false)
      }
    }
  }
}

extension _ContextCore {
  /// Nothing is pending: lets go of what relationships hold, for the context has gone.
  func breakRetainCycles() {
    _ = relationships.strongReferences.removeAll()
    _ = relationships.removeAllChanges()
    _ = relationships.loadedJoinLists.removeAll()
    for tracker in trackers where tracker.layout.hasRelations {
      tracker.unloadToManys { tracker.mayFormRetainCycle($0) }
    }
  }

  /// After a rollback: lists that were loaded with what was pending then hold objects that have left, and these them.
  func unloadProvisionalToManys() {
    guard relationMarks.hasProvisionalLoads else { return }
    // To-ones whose key is at the other end are asked for anew, too.
    relationMarks.markToManysStale()
    for tracker in trackers where tracker.layout.hasRelations { tracker.unloadToManys { _ in true } }
    relationMarks.hasProvisionalLoads = false
  }
}
