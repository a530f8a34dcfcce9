import LarderSupport

// Setting a to-one, with the update of the other end.

extension _ContextCore {
  func setToOne(
    _ owner: any PersistentModel, _ tracker: _EntityTracker, _ relationship: RelationshipLayout,
    to new: (any PersistentModel)?
  ) throws {
    var told: NotifiedProperties?
    defer { told?.notifyDidSet() }
    while try !setToOne(owner, tracker, relationship, to: new, &told) {
      guard isPresent(owner), new.map(isPresent) != false else { return }
    }
  }

  /// Sets a to-one, once all observers have been notified.
  ///
  /// - Returns: `false` if an observer was notified first; then nothing is set.
  func setToOne(
    _ owner: any PersistentModel, _ tracker: _EntityTracker, _ relationship: RelationshipLayout,
    to new: (any PersistentModel)?,
    _ told: inout NotifiedProperties?
  ) throws -> Bool {
    var old = try currentForeignKey(of: owner, tracker, relationship)
    if let gone = try mergeRemoteChanges(before: owner, tracker, relationship, to: new.map { [$0] } ?? []) {
      if !isPresent(owner) || !gone.targets.isEmpty { return true }
      old = try currentForeignKey(of: owner, tracker, relationship)
    }
    let there = try self.tracker(for: relationship.destinationLayout)
    if let new, old == new._$header.pointee.rowID,
      tracker.concreteTracker(owner).refersToCollidingRow(new, owner, relationship)
    {
      try there.reassignRowIDs()
    }
    let row = new?._$header.pointee.rowID ?? 0
    guard old != row else {
      // Another context has set this key already; the base version follows the program's own edit.
      recordLocalEdit(owner, referencing: new, there, relationship)
      return true
    }
    let former = old > 0 ? there.find(old).map(there.erased) : nil
    guard let inverse = relationship.inverse else {
      if notifyToOneWillSet(owner, tracker, relationship, row, &told) { return false }
      updateRelationship(told) { setForeignKey(owner, tracker, relationship, row) }
      // No list that would keep the target has changed.
      if let new, !relationship.isOptional { relationships.requiredTargets[RowKey(there, row)] = new }
      #if DEBUG
        _checkInvariants(owner, relationship, referencing: new)
      #endif
      return true
    }
    if !inverse.isToMany {
      // One-to-one: the former partners lose their keys.
      var losses: [(model: any PersistentModel, tracker: _EntityTracker, relationship: RelationshipLayout)] = []
      if let rival = try partner(of: new, there, inverse), rival !== owner {
        losses.append((rival, tracker, relationship))
      }
      if let formerPartner = try old > 0 ? former ?? there.loadRows([old]).first : nil {
        losses.append((formerPartner, there, inverse))
      }
      var isTelling = false
      for loss in losses where notifyToOneWillSet(loss.model, loss.tracker, loss.relationship, 0, &told) {
        isTelling = true
      }
      if notifyToOneWillSet(owner, tracker, relationship, row, &told) { isTelling = true }
      if let new, notifyToOneWillSet(new, there, inverse, owner._$header.pointee.rowID, &told) { isTelling = true }
      if isTelling { return false }
      updateRelationship(told) {
        for loss in losses { setForeignKey(loss.model, loss.tracker, loss.relationship, 0) }
        if let new, relationMarks.toOneBeingSet == RelationshipKey(owner, relationship.property) {
          recordOutdatedForeignKeys([new], inverse, of: owner)
        }
        setForeignKey(owner, tracker, relationship, row)
        if let new { setForeignKey(new, there, inverse, owner._$header.pointee.rowID) }
      }
      #if DEBUG
        _checkInvariants(owner, relationship, referencing: new)
      #endif
      return true
    }
    var isTelling = notifyToOneWillSet(owner, tracker, relationship, row, &told)
    if let former, notifyToManyWillSet(former, inverse, &told) { isTelling = true }
    if let new, notifyToManyWillSet(new, inverse, &told) { isTelling = true }
    if isTelling { return false }
    updateRelationship(told) {
      setForeignKey(owner, tracker, relationship, row)
      recordMembership(owner, in: row, there, inverse)
      if let former { removeMembers(former, there, inverse, owner) }
      if let new { appendMember(new, there, inverse, owner) }
    }
    #if DEBUG
      _checkInvariants(owner, relationship, referencing: new)
    #endif
    return true
  }

  private func currentForeignKey(
    of owner: any PersistentModel, _ tracker: _EntityTracker, _ relationship: RelationshipLayout
  ) throws -> Int64 {
    if case .inverse = relationship.storage { _ = tracker.concreteTracker(owner).invalidateInverseKeys() }
    let key = owner._$foreignKey(relationship.property)
    return key == _ToOneKey.notLoaded ? try loadInverseKey(of: owner, tracker, relationship) : key
  }

  /// Returns the object at the other end of a to-one of `model`, whichever table has the foreign key.
  func partner(
    of model: (any PersistentModel)?, _ tracker: _EntityTracker, _ relationship: RelationshipLayout
  ) throws -> (any PersistentModel)? {
    guard let model, case let key = model._$foreignKey(relationship.property), key >= _ToOneKey.notLoaded,
      let object = tracker.relatedObject(of: model, relationship.property, key)
    else { return nil }
    return try self.tracker(for: relationship.destinationLayout).erased(object)
  }

  /// Sets the key of a to-one, without updating the other end.
  func setForeignKey(
    _ model: any PersistentModel, _ tracker: _EntityTracker, _ relationship: RelationshipLayout, _ row: Int64
  ) {
    guard let key = effectiveForeignKey(model, tracker, relationship, row) else { return }
    let isAsked = !isPropagatingDeletions && !isRestoring
    relationships.propagationLog.recordAssignment(
      RowKey(tracker, model._$header.pointee.rowID), relationship.property, isAsked)
    if key < _ToOneKey.notLoaded, let there = try? self.tracker(for: relationship.destinationLayout) {
      relationships.lostRequiredTargets.insert(RowKey(there, _ToOneKey.targetRow(of: key)))
    }
    let tracker = tracker.concreteTracker(model)
    tracker.withMutation(model, relationship) { model._$applyChange(relationship.property, .foreignKey(key)) }
  }

  /// Returns the key that a to-one has once it is set, or `nil` if setting it changes nothing.
  @inline(__always)
  func effectiveForeignKey(
    _ model: any PersistentModel, _ tracker: _EntityTracker, _ relationship: RelationshipLayout, _ row: Int64
  ) -> Int64? {
    // A rollback restores the key that is recorded before the change, which must not be a stale one.
    if case .inverse = relationship.storage { _ = tracker.concreteTracker(model).invalidateInverseKeys() }
    let present = model._$foreignKey(relationship.property)
    // A required to-one cannot read as nil: it reads as its former target, and the save refuses it.
    let key = row == 0 && !relationship.isOptional ? _ToOneKey.unsavable(present) : row
    return model._$header.pointee.status.contains(.deleted) || present == key ? nil : key
  }
}
