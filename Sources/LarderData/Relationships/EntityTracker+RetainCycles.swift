import LarderSupport

/// To-manys hold their objects. If these hold the owner by to-manys of their own, the whole cycle would stay in memory. So
/// such lists are unloaded when the context ends.
extension _EntityTracker {
  /// Returns whether the objects of a to-many may, by to-manys of their own, hold the object that holds them.
  func mayFormRetainCycle(_ relationship: RelationshipLayout) -> Bool {
    if let known = cyclicToManys { return known.contains(relationship.property) }
    let found = Set(layout.relationships.filter { $0.isToMany && formsRetainCycle($0) }.map(\.property))
    cyclicToManys = found
    return found.contains(relationship.property)
  }

  /// Searches all classes of each hierarchy, since an object may be of any of them, and have that class's relationships.
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

  /// Unloads a to-many until it is next accessed, unless it was changed since the last save.
  ///
  /// - Parameter keepsShown: Whether to record the members that the program was shown.
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
  /// Releases the objects that relationships hold, since the context has ended. Nothing is pending.
  func breakRetainCycles() {
    _ = relationships.strongReferences.removeAll()
    _ = relationships.removeAllChanges()
    _ = relationships.loadedJoinLists.removeAll()
    for tracker in trackers where tracker.layout.hasRelations {
      tracker.unloadToManys { tracker.mayFormRetainCycle($0) }
    }
  }

  /// Unloads lists, after a rollback, that were loaded with pending objects: they hold objects that have left, and these them.
  func unloadProvisionalToManys() {
    guard relationMarks.hasProvisionalLoads else { return }
    // To-ones whose key is at the other end are loaded anew, too.
    relationMarks.markToManysStale()
    for tracker in trackers where tracker.layout.hasRelations { tracker.unloadToManys { _ in true } }
    relationMarks.hasProvisionalLoads = false
  }
}
