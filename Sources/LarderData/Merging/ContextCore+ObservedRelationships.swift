import LarderSupport

// Other rows determine the members of a to-many: its observers are notified when these rows have changed.

extension _EntityTracker {
  /// Called before an observer reads a property.
  func willObserve(_ row: Int64, _ property: Int) {
    // A context with a scheduler merges in its own turns: a synchronous block reads rows of one commit.
    if core.scheduler == nil { core.mergeRemoteChangesIfNeeded() }
    guard layout.hasRelations, let relationship = layout.relationship(property), !relationship.hasForeignKey else {
      return
    }
    observedRelationships[property, default: []].insert(row)
  }
}

extension RelationshipLayout {
  /// Whether the object's own row has the foreign key of the relationship.
  fileprivate var hasForeignKey: Bool { if case .foreignKey = storage { true } else { false } }
}

extension _ContextCore {
  /// Reloads observed relationships, and notifies the observers of those that have changed.
  ///
  /// - Parameter isChanged: Whether other contexts have changed rows of an entity, given by the topmost class's tracker.
  func notifyRelationshipObservers(_ isChanged: (_EntityTracker) -> Bool) throws {
    for tracker in trackers {
      for (property, rows) in tracker.observedRelationships {
        guard let relationship = tracker.layout.relationship(property),
          let there = existingTracker(for: relationship.destinationLayout)?.root,
          isChanged(there) || isChanged(tracker.root)
        else { continue }
        var owners: [any PersistentModel] = []
        var present: Set<Int64> = []
        for row in rows {
          guard let owner = tracker.find(row).map(tracker.erased), owner._$header.pointee.registrar != nil else {
            continue
          }
          present.insert(row)
          if isLoadedAndStale(owner, relationship) { owners.append(owner) }
        }
        tracker.observedRelationships[property] = present
        if !owners.isEmpty { try reload(owners, tracker, relationship) }
      }
    }
    try notifyReloaded()
  }

  /// Records the contents of an observed relationship before a reload that was caused by a read of it or of another object's
  /// relationship.
  func recordBeforeReload(_ model: any PersistentModel, _ relationship: RelationshipLayout) {
    let key = model._$foreignKey(relationship.property)
    if isOrphaned || key == (relationship.isToMany ? 0 : _ToOneKey.notLoaded) { return }
    let place = RelationshipKey(model, relationship.property)
    if relationships.unnotifiedReloads[place] != nil { return }
    relationships.unnotifiedReloads[place] = (model, model._$relationshipValue(relationship.property))
  }

  /// Notifies the observers of relationships that such reloads have changed.
  private func notifyReloaded() throws {
    if relationships.unnotifiedReloads.isEmpty { return }
    let all = relationships.unnotifiedReloads
    relationships.unnotifiedReloads = [:]
    for (place, (model, former)) in all {
      let header = model._$header
      guard let tracker = header.pointee.tracker, tracker.core === self, header.pointee.registrar != nil,
        header.pointee.status.contains(.stored), !header.pointee.status.contains(.deleted),
        let relationship = tracker.layout.relationship(place.property), !relationship.isEdited(of: model)
      else { continue }
      let isSame: Bool
      switch former {
      case .many(let before?): isSame = try loadMembers(of: model, tracker, relationship).elementsEqual(before, by: ===)
      case .one(let before, _):
        let now = try tracker.resolveRelatedObject(of: model, relationship, model._$foreignKey(relationship.property))
        isSame =
          _ToOneKey.targetRow(of: before)
          == (now == nil ? 0 : _ToOneKey.targetRow(of: model._$foreignKey(relationship.property)))
      default: continue
      }
      if !isSame { tracker.withMutation(model, relationship.property) {} }
    }
  }

  /// Whether a relationship is loaded, and its contents are from before another context's commit.
  private func isLoadedAndStale(_ owner: any PersistentModel, _ relationship: RelationshipLayout) -> Bool {
    let header = owner._$header
    guard header.pointee.status.contains(.stored), !header.pointee.status.contains(.deleted),
      !relationship.isEdited(of: owner)
    else { return false }
    let key = owner._$foreignKey(relationship.property)
    return relationship.isToMany ? key != 0 && isStale(owner, relationship) : key != _ToOneKey.notLoaded
  }

  private func reload(_ owners: [any PersistentModel], _ tracker: _EntityTracker, _ relationship: RelationshipLayout)
    throws
  {
    let groups = try loadMembersByOwner(owners, tracker, relationship)
    for owner in owners {
      let objects = groups[owner._$header.pointee.rowID] ?? []
      guard relationship.isToMany else {
        let row = objects.first?._$header.pointee.rowID ?? 0
        if owner._$foreignKey(relationship.property) == row { continue }
        if let object = objects.first { retainTemporarily(object) }
        tracker.withMutation(owner, relationship.property) {
          owner._$applyChange(relationship.property, .foreignKey(row))
        }
        continue
      }
      let own = tracker.concreteTracker(owner)
      own.recordBase(owner, relationship.property)
      let mark = own.stamp(owner, relationship.property, members: objects.rowIDs)
      if case .many(let known?) = owner._$relationshipValue(relationship.property),
        known.elementsEqual(objects, by: ===)
      {
        owner._$applyChange(relationship.property, .current(generation: mark))
        continue
      }
      tracker.withMutation(owner, relationship.property) {
        owner._$applyChange(relationship.property, .objects(objects, generation: mark))
      }
      if case .joinTable = relationship.storage { recordLoadedJoinList(owner, relationship.property) }
    }
  }
}
