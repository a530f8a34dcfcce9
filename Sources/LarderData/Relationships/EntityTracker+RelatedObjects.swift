import LarderSupport

// The reading part of the context's functions for the accessors of relationships.

extension _EntityTracker {
  /// Returns whether a to-many that was loaded in a generation can be shown as it is.
  @usableFromInline
  @inline(__always)
  package func isCurrent(_ generation: UInt32) -> Bool { generation == core.relationMarks.currentStamp }

  /// Returns the object at the other end of a to-one, and loads it if necessary; `nil` if there is none, or it cannot be read.
  @usableFromInline
  package func relatedObject(of owner: any PersistentModel, _ property: Int, _ key: Int64) -> AnyObject? {
    guard let relationship = layout.relationship(property) else { return nil }
    do {
      return try core.deferringNotifications { try resolveRelatedObject(of: owner, relationship, key) }
    } catch {
      core.reportLoadFailure(relationship, of: self, error)
      return nil
    }
  }

  func resolveRelatedObject(of owner: any PersistentModel, _ relationship: RelationshipLayout, _ key: Int64) throws
    -> AnyObject?
  {
    var row = key
    if core.relationMarks.hasPendingPropagation {
      try core.propagateDeletions()
      if isDetached(owner) {
        guard case .one(_, let object) = owner._$relationshipValue(relationship.property) else { return nil }
        return object
      }
      row = owner._$foreignKey(relationship.property)
    }
    if case .inverse = relationship.storage, invalidateInverseKeys() { row = owner._$foreignKey(relationship.property) }
    if row == 0 { return nil }
    let there = try core.tracker(for: relationship.destinationLayout)
    if row == _ToOneKey.notLoaded { row = try core.loadInverseKey(of: owner, self, relationship) }
    row = _ToOneKey.targetRow(of: row)
    if row == 0 { return nil }
    if let known = there.find(row) {
      guard there.hasInserts, refersToCollidingRow(there.erased(known), owner, relationship) else { return known }
      try there.reassignRowIDs()
      if let other = there.find(row) { return other }
    }
    if let departed = core.relationships.requiredDeletedObjects[RowKey(there, row)] { return departed }
    return try core.loadTarget(of: owner, self, relationship, row: row, there)
  }

  /// Returns the objects of a to-many. Loads them if they are not loaded, or are stale.
  @usableFromInline
  package func relatedObjects(of owner: any PersistentModel, _ property: Int) -> [any PersistentModel] {
    guard let relationship = layout.relationship(property) else { return [] }
    do {
      return try core.deferringNotifications {
        try core.propagateDeletions()
        if isDetached(owner) {
          guard case .many(let objects?) = owner._$relationshipValue(property) else { return [] }
          return objects
        }
        let objects = try core.loadMembers(of: owner, self, relationship)
        concreteTracker(owner).markRead(owner, property)
        return objects
      }
    } catch {
      core.reportLoadFailure(relationship, of: self, error)
      if case .many(let objects?) = owner._$relationshipValue(property) { return objects }
      return []
    }
  }

  /// Returns whether a key references a model's row.
  @usableFromInline
  package func isRelated(_ key: Int64, _ value: (any PersistentModel)?) -> Bool {
    // Unknown before deletions are propagated, and after a commit that may have changed a key at the other end.
    if core.relationMarks.hasPendingPropagation || invalidateInverseKeys() { return false }
    guard let value else { return key == 0 }
    let header = value._$header
    // Another process's row, which a key references, may have the same row ID.
    if header.pointee.status.contains(.inserted) { return false }
    return header.pointee.tracker?.core === core && header.pointee.rowID == key
  }

  /// Returns the value of a required to-one whose target cannot be loaded. Foreign keys exclude a missing row, so the store
  /// cannot be read, or the object was created from incomplete data: there is no true value to return.
  @usableFromInline
  package func placeholder<Value: PersistentModel>(
    _ owner: any PersistentModel, _ property: Int, _ type: Value.Type
  ) -> Value {
    let name = "\(layout.entityName).\(layout.properties[property].name)"
    let key = _ToOneKey.targetRow(of: owner._$foreignKey(property))
    let reason =
      key > 0
      ? "row \(key) of \(Value._$layout.entityName) cannot be had: \(core.pendingError.map { "\($0)" } ?? "it is gone")"
      : "it was not set"
    return core.missingRowPlaceholder(
      PersistentIdentifier(
        identity: .of(store: store.identifier, entity: Value._$layout.entityName), key: key, isSaved: true),
      type, "\(name) of row \(owner._$header.pointee.rowID) is not optional, and \(reason)")
  }
}

extension _EntityTracker {
  /// Unloads the keys that other tables have to this model's rows, once other contexts have committed: no row of this model
  /// shows that such a key was moved.
  ///
  /// - Returns: Whether other contexts have committed.
  func invalidateInverseKeys() -> Bool {
    guard inverseGeneration != core.relationMarks.generation else { return false }
    inverseGeneration = core.relationMarks.generation
    let mirrors = layout.relationships.filter { relationship in
      if case .inverse = relationship.storage { !relationship.isToMany } else { false }
    }
    if mirrors.isEmpty { return true }
    forEachInstance { model in
      let header = model._$header
      guard header.pointee.status.contains(.stored), !header.pointee.status.contains(.deleted) else { return }
      for relationship in mirrors where !relationship.isEdited(of: model) {
        if header.pointee.registrar != nil { core.recordBeforeReload(model, relationship) }
        model._$applyChange(relationship.property, .foreignKey(_ToOneKey.notLoaded))
      }
    }
    return true
  }
}

extension _ContextCore {
  /// Makes the next save throw the error, since reading a relationship cannot throw: nothing is decided on a false emptiness.
  func reportLoadFailure(_ relationship: RelationshipLayout, of tracker: _EntityTracker, _ error: any Error) {
    Log.warning("\(tracker.layout.entityName).\(relationship.name) could not be read and seems empty. \(error)")
    if pendingError == nil { pendingError = error }
  }
}

extension _EntityTracker {
  /// Unloads the to-ones of deleted objects whose key is at the other end: other contexts' saves have not reached them.
  func invalidateInverseKeysOfDeleted() {
    for relationship in layout.relationships where !relationship.isToMany {
      guard case .inverse = relationship.storage else { continue }
      for object in deleted { erased(object)._$applyChange(relationship.property, .foreignKey(_ToOneKey.notLoaded)) }
    }
  }
}
