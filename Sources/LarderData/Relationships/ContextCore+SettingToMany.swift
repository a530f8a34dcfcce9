import LarderSupport

// Setting a to-many as a whole or one member of it, with the update of the other ends.

extension _ContextCore {
  func setToMany(
    _ owner: any PersistentModel, _ tracker: _EntityTracker, _ relationship: RelationshipLayout,
    to new: [any PersistentModel]
  ) throws {
    var new = new
    var told: NotifiedProperties?
    defer { told?.notifyDidSet() }
    while try !setToMany(owner, tracker, relationship, to: new, &told) {
      guard isPresent(owner) else { return }
      new = new.filter(isPresent)
    }
  }

  /// Sets a to-many, once all observers have been notified.
  ///
  /// - Parameters:
  ///   - shown: The members that the program was shown before; `nil` if it was shown none, or if the program is not the setter.
  ///   - isByHand: Whether the program sets it.
  /// - Returns: `false` if an observer was notified first; then nothing is set.
  func setToMany(
    _ owner: any PersistentModel, _ tracker: _EntityTracker, _ relationship: RelationshipLayout,
    to wanted: [any PersistentModel],
    from shown: [Int64]? = nil, isUserChange isByHand: Bool = false, _ told: inout NotifiedProperties?
  ) throws -> Bool {
    var old = try loadMembers(of: owner, tracker, relationship)
    var wanted = wanted
    if try mergeRemoteChanges(before: owner, tracker, relationship, to: wanted) != nil {
      if !isPresent(owner) { return true }
      wanted = wanted.filter(isPresent)
      old = try loadMembers(of: owner, tracker, relationship)
    }
    // Observers that were notified may have changed the list meanwhile, too.
    let base = shown ?? told?.membersBefore?.rowIDs
    let new =
      base.map { ToManyMerge(local: wanted, base: $0, current: old, endsWithRemoteAdditions: false).merged() } ?? wanted
    let (removed, added) = difference(old, new)
    if removed.isEmpty, added.isEmpty, old.elementsEqual(new, by: ===) {
      if let shown {
        recordLocalEdit(owner, tracker, relationship, from: shown, to: wanted, removed, added)
        let mark = tracker.concreteTracker(owner).setBase(
          owner, relationship.property, wanted.rowIDs, members: new.rowIDs)
        owner._$applyChange(relationship.property, .current(generation: mark))
      }
      return true
    }
    let there = try self.tracker(for: relationship.destinationLayout)
    if notifyEndsWillSet(of: owner, tracker, relationship, there, removed, added, &told) {
      if told?.membersBefore == nil { told?.membersBefore = old }
      return false
    }
    updateRelationship(told) {
      if isByHand { recordOutdatedForeignKeys(added, relationship.inverse, of: owner) }
      applyToManyChange(
        owner, tracker, relationship, there, old, new, removed, added, shown == nil ? nil : wanted.rowIDs)
    }
    if let shown { recordLocalEdit(owner, tracker, relationship, from: shown, to: wanted, removed, added) }
    #if DEBUG
      _checkInvariants(owner, relationship, removed: removed, added: added)
    #endif
    return true
  }

  /// Notifies the observers of a list that is set, and those of the other ends of removed and added members.
  ///
  /// - Returns: Whether an observer was notified.
  private func notifyEndsWillSet(
    of owner: any PersistentModel, _ tracker: _EntityTracker, _ relationship: RelationshipLayout,
    _ there: _EntityTracker,
    _ removed: [any PersistentModel], _ added: [any PersistentModel], _ told: inout NotifiedProperties?
  ) -> Bool {
    var isTelling = false
    if let inverse = relationship.inverse {
      for model in removed {
        let isTold =
          inverse.isToMany
          ? notifyToManyWillSet(model, inverse, &told) : notifyToOneWillSet(model, there, inverse, 0, &told)
        if isTold { isTelling = true }
      }
      // Most members come from the same owner.
      var known: Int64 = 0
      for model in added {
        if inverse.isToMany {
          if notifyToManyWillSet(model, inverse, &told) { isTelling = true }
          continue
        }
        let key = model._$foreignKey(inverse.property)
        if key != known, let former = previousOwner(key, tracker, relationship, owner),
          notifyToManyWillSet(former, relationship, &told)
        {
          isTelling = true
        }
        known = key
        if notifyToOneWillSet(model, there, inverse, owner._$header.pointee.rowID, &told) { isTelling = true }
      }
    }
    if notifyWillSet(owner, relationship.property, &told) { isTelling = true }
    return isTelling
  }

  private func applyToManyChange(
    _ owner: any PersistentModel, _ tracker: _EntityTracker, _ relationship: RelationshipLayout,
    _ there: _EntityTracker,
    _ old: [any PersistentModel], _ new: [any PersistentModel], _ removed: [any PersistentModel],
    _ added: [any PersistentModel], _ shown: [Int64]?
  ) {
    relationMarks.toManyChangeCount &+= 1
    let before = relationMarks.toManyChangeCount
    tracker.recordRelationshipChange(owner, relationship)
    if let inverse = relationship.inverse {
      for model in removed {
        if inverse.isToMany {
          removeMembers(model, there, inverse, owner)
        } else {
          setForeignKey(model, there, inverse, 0)
        }
      }
      for model in added {
        if inverse.isToMany {
          appendMember(model, there, inverse, owner)
        } else {
          reassign(model, there, inverse, to: owner, tracker, relationship)
        }
      }
    }
    tracker.withMutation(owner, relationship) {
      let late = relationMarks.toManyChangeCount == before ? [] : membersAddedMeanwhile(owner, relationship, old, new)
      let (own, list) = (tracker.concreteTracker(owner), new + late)
      guard let shown else {
        // The program is not the setter: it knows of the members that this change removes and adds.
        own.removeFromBase(owner, relationship, removed)
        own.appendToBase(owner, relationship, added)
        let mark = own.stamp(owner, relationship.property, members: list.rowIDs)
        return owner._$applyChange(relationship.property, .objects(list, generation: mark))
      }
      let mark = own.setBase(owner, relationship.property, shown, members: list.rowIDs)
      owner._$applyChange(relationship.property, .objects(list, generation: mark))
    }
    if case .joinTable = relationship.storage { recordLoadedJoinList(owner, relationship.property) }
  }

  /// Records edits of keys at the other ends that are older than the list.
  ///
  /// A list that was read while other contexts committed may be newer than the objects at the other end. If it lacks an object
  /// whose key, from before the commit, references the owner, relating the two is an edit of that key all the same.
  ///
  /// - Parameter key: The relationship at the other end.
  func recordOutdatedForeignKeys(
    _ added: [any PersistentModel], _ key: RelationshipLayout?, of owner: any PersistentModel
  ) {
    guard let key, case .foreignKey = key.storage, hasReadAhead() else { return }
    for member in added where member._$foreignKey(key.property) == owner._$header.pointee.rowID && isPresent(member) {
      guard let tracker = member._$header.pointee.tracker, tracker.hasStoredForeignKey(member, key) else { continue }
      // The object references the same row as before: there is no change to report to its observers.
      settingExplicitly(member, key) {
        tracker.markRowChanged(member)
        tracker.recordRelationshipChange(member, key)
      }
    }
  }

  /// Returns the members that observers of the other ends added to a list while it was being set.
  private func membersAddedMeanwhile(
    _ owner: any PersistentModel, _ relationship: RelationshipLayout, _ old: [any PersistentModel],
    _ new: [any PersistentModel]
  ) -> [any PersistentModel] {
    guard case .many(let present?) = owner._$relationshipValue(relationship.property) else { return [] }
    let known = Set((old + new).map { ObjectIdentifier($0) })
    return present.filter { !known.contains(ObjectIdentifier($0)) }
  }

  func addMember(
    _ member: any PersistentModel, to owner: any PersistentModel, _ tracker: _EntityTracker,
    _ relationship: RelationshipLayout
  ) -> Bool {
    let changes = relationMarks.toManyChangeCount
    // Objects that are inserted with the member may have been added to the list, too.
    guard !isDeletedRemotely(member), insertIfNeeded(member), relationMarks.toManyChangeCount == changes,
      owner._$foreignKey(relationship.property) != 0,
      let there = try? self.tracker(for: relationship.destinationLayout)
    else { return false }
    if let inverse = relationship.inverse, !inverse.isToMany, member._$foreignKey(inverse.property) != 0 {
      return false
    }
    relationMarks.toManyChangeCount &+= 1
    owner._$header.pointee.status.insert(.toManySet)
    tracker.recordRelationshipChange(owner, relationship)
    if let inverse = relationship.inverse {
      if inverse.isToMany {
        appendMember(member, there, inverse, owner)
      } else {
        reassign(member, there, inverse, to: owner, tracker, relationship)
      }
    }
    if case .joinTable = relationship.storage { recordLoadedJoinList(owner, relationship.property) }
    #if DEBUG
      _checkInvariants(owner, relationship, removed: [], added: [member])
    #endif
    return true
  }

  func removeMember(
    _ member: any PersistentModel, from owner: any PersistentModel, _ tracker: _EntityTracker,
    _ relationship: RelationshipLayout
  ) -> Bool {
    guard owner._$foreignKey(relationship.property) != 0,
      let there = try? self.tracker(for: relationship.destinationLayout),
      member._$header.pointee.tracker?.core === self
    else { return false }
    if let inverse = relationship.inverse, !inverse.isToMany,
      member._$foreignKey(inverse.property) != owner._$header.pointee.rowID
    {
      return false
    }
    relationMarks.toManyChangeCount &+= 1
    owner._$header.pointee.status.insert(.toManySet)
    tracker.recordRelationshipChange(owner, relationship)
    if let inverse = relationship.inverse {
      if inverse.isToMany {
        removeMembers(member, there, inverse, owner)
      } else {
        setForeignKey(member, there, inverse, 0)
      }
    }
    if case .joinTable = relationship.storage { recordLoadedJoinList(owner, relationship.property) }
    #if DEBUG
      _checkInvariants(owner, relationship, removed: [member], added: [])
    #endif
    return true
  }

  /// Assigns an object to another owner, and removes it from the former owner's to-many if that owner is in memory.
  private func reassign(
    _ model: any PersistentModel, _ there: _EntityTracker, _ key: RelationshipLayout, to owner: any PersistentModel,
    _ tracker: _EntityTracker, _ relationship: RelationshipLayout
  ) {
    if let former = previousOwner(model._$foreignKey(key.property), tracker, relationship, owner) {
      removeMembers(former, tracker, relationship, model)
    }
    recordMembership(model, in: owner._$header.pointee.rowID, tracker, relationship)
    setForeignKey(model, there, key, owner._$header.pointee.rowID)
  }

  /// Returns the former owner whose to-many a reassigned member leaves, if that owner is in memory.
  @inline(__always)
  private func previousOwner(
    _ key: Int64, _ tracker: _EntityTracker, _ relationship: RelationshipLayout, _ owner: any PersistentModel
  ) -> (any PersistentModel)? {
    guard key > 0, let object = tracker.declaringTracker(relationship.property).find(key), object !== owner else {
      return nil
    }
    return tracker.declaringTracker(relationship.property).erased(object)
  }

  /// Returns the members that are removed from a list and those that are added. A common beginning and end cost no sets.
  private func difference(
    _ old: [any PersistentModel], _ new: [any PersistentModel]
  ) -> (removed: [any PersistentModel], added: [any PersistentModel]) {
    let common = zip(old, new).prefix { $0 === $1 }.count
    let end = zip(old[common...].reversed(), new[common...].reversed()).prefix { $0 === $1 }.count
    let (oldRest, newRest) = (old[common...].dropLast(end), new[common...].dropLast(end))
    if oldRest.isEmpty { return ([], Array(newRest)) }
    if newRest.isEmpty { return (Array(oldRest), []) }
    let before = Set(oldRest.map { ObjectIdentifier($0) })
    let after = Set(newRest.map { ObjectIdentifier($0) })
    return (
      oldRest.filter { !after.contains(ObjectIdentifier($0)) },
      newRest.filter { !before.contains(ObjectIdentifier($0)) }
    )
  }
}
