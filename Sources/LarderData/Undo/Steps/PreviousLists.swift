import LarderSupport

/// To-manys as they were before a step: as recorded at their first change, or else as they are stored.
struct PreviousLists {
  private let recorder: UndoRecorder
  private var core: _ContextCore { recorder.core }
  private var stored: StoredMembers
  /// The former lists of present objects, as far as they changed.
  private var changed: [RelationshipKey: [Int64]] = [:]

  init(_ recorder: UndoRecorder) {
    self.recorder = recorder
    stored = StoredMembers(recorder.core)
  }

  /// Reads the former lists that are not in memory, and loads the changed ones.
  mutating func load(_ deleted: [(model: any PersistentModel, tracker: _EntityTracker)], _ scope: StepScope) throws {
    for (model, tracker) in deleted { requestStored(of: model, tracker) }
    let lists = changedLists(scope)
    for (former, tracker, relationship) in lists where knownRows(former.value, of: former.model, relationship) == nil {
      stored.request(relationship, of: former.model._$header.pointee.rowID, tracker)
    }
    try stored.read()
    var unloaded:
      [ObjectIdentifier: (tracker: _EntityTracker, relationship: RelationshipLayout, owners: [any PersistentModel])] =
        [:]
    for (former, tracker, relationship) in lists {
      changed[RelationshipKey(former.model, former.property)] = try members(
        former.value, of: former.model, tracker, relationship)
      guard case .many(nil) = former.model._$relationshipValue(former.property) else { continue }
      unloaded[ObjectIdentifier(relationship), default: (tracker, relationship, [])].owners.append(former.model)
    }
    for (tracker, relationship, owners) in unloaded.values { try core.loadToMany(owners, tracker, relationship) }
  }

  private func changedLists(
    _ scope: StepScope
  ) -> [(former: OriginalRelationship, tracker: _EntityTracker, relationship: RelationshipLayout)] {
    var result: [(former: OriginalRelationship, tracker: _EntityTracker, relationship: RelationshipLayout)] = []
    for part in scope.entityScopes where !part.tracker.originalRelationships.isEmpty {
      let relationships = part.tracker.layout.relationships.filter(\.isToMany)
      for model in part.inserted + part.changed where !model._$header.pointee.status.contains(.deleted) {
        for relationship in relationships {
          guard let former = part.tracker.originalRelationships[RelationshipKey(model, relationship.property)] else {
            continue
          }
          result.append((former, part.tracker, relationship))
        }
      }
    }
    return result
  }

  /// Returns the former members of a list that changed; `nil` if it did not.
  subscript(_ place: RelationshipKey) -> [Int64]? { changed[place] }

  // MARK: Lists of deleted objects

  /// Returns all lists of an object that the step deleted.
  mutating func lists(of model: any PersistentModel, _ tracker: _EntityTracker) throws -> [Int: ObjectChange.List] {
    var result: [Int: ObjectChange.List] = [:]
    for relationship in tracker.layout.relationships where relationship.isToMany {
      result[relationship.property] = ObjectChange.List(
        before: try imageRows(of: model, tracker, relationship)
          ?? members(originalValue(of: model, tracker, relationship), of: model, tracker, relationship),
        after: [], stored: try storedJoinRows(of: model, tracker, relationship))
    }
    return result
  }

  private mutating func requestStored(of model: any PersistentModel, _ tracker: _EntityTracker) {
    for relationship in tracker.layout.relationships where relationship.isToMany {
      let isKnown =
        imageRows(of: model, tracker, relationship) != nil
        || knownRows(originalValue(of: model, tracker, relationship), of: model, relationship) != nil
      if isKnown, !needsStoredJoinRows(of: model, tracker, relationship) { continue }
      stored.request(relationship, of: model._$header.pointee.rowID, tracker)
    }
  }

  private func imageRows(
    of model: any PersistentModel, _ tracker: _EntityTracker, _ relationship: RelationshipLayout
  ) -> [Int64]? {
    recorder.images[RowKey(tracker, model._$header.pointee.rowID)]?.lists[relationship.property]
  }

  /// Returns whether a join-table list may have been loaded while a member was deleted that is restored now. Then its recorded
  /// value lacks that member, and the stored members are those before the step.
  private func mayOmitMembers(
    _ model: any PersistentModel, _ tracker: _EntityTracker, _ relationship: RelationshipLayout
  ) -> Bool {
    relationship.usesJoinTable && core.relationMarks.hasProvisionalLoads
      && model._$header.pointee.status.contains(.stored)
  }

  private func originalValue(
    of model: any PersistentModel, _ tracker: _EntityTracker, _ relationship: RelationshipLayout
  ) -> _RelationshipValue {
    if mayOmitMembers(model, tracker, relationship) { return .many(nil) }
    return tracker.originalRelationships[RelationshipKey(model, relationship.property)]?.value
      ?? model._$relationshipValue(relationship.property)
  }

  /// Returns the stored members of a join-table list that was changed here.
  private mutating func storedJoinRows(
    of model: any PersistentModel, _ tracker: _EntityTracker, _ relationship: RelationshipLayout
  ) throws -> [Int64]? {
    if needsStoredJoinRows(of: model, tracker, relationship) {
      return try stored.members(relationship, of: model._$header.pointee.rowID, tracker)
    }
    guard relationship.usesJoinTable,
      case .many(let base?)? = tracker.originalRelationships[RelationshipKey(model, relationship.property)]?.value
    else { return nil }
    return base.map { $0._$header.pointee.rowID }
  }

  private func needsStoredJoinRows(
    of model: any PersistentModel, _ tracker: _EntityTracker, _ relationship: RelationshipLayout
  ) -> Bool {
    if mayOmitMembers(model, tracker, relationship) { return true }
    guard relationship.usesJoinTable,
      case .many(nil)? = tracker.originalRelationships[RelationshipKey(model, relationship.property)]?.value
    else { return false }
    return true
  }

  // MARK: Members in memory or in the store

  private mutating func members(
    _ value: _RelationshipValue, of model: any PersistentModel, _ tracker: _EntityTracker,
    _ relationship: RelationshipLayout
  ) throws -> [Int64] {
    try knownRows(value, of: model, relationship)
      ?? stored.members(relationship, of: model._$header.pointee.rowID, tracker)
  }

  private func knownRows(
    _ value: _RelationshipValue, of model: any PersistentModel, _ relationship: RelationshipLayout
  ) -> [Int64]? {
    guard case .many(let members?) = value, !core.isStale(model, relationship),
      !core.hasRestoredMembers(relationship, of: model, notIn: members)
    else { return nil }
    return members.map { $0._$header.pointee.rowID }
  }
}

extension _ContextCore {
  /// Returns whether a list was loaded while some of its members were deleted, which it contains again: their positions are not
  /// known from the former list.
  func hasRestoredMembers(
    _ relationship: RelationshipLayout, of owner: any PersistentModel, notIn former: [any PersistentModel]
  ) -> Bool {
    guard case .inverse(let key) = relationship.storage, owner._$header.pointee.status.contains(.stored),
      case .many(let members?) = owner._$relationshipValue(relationship.property),
      let bit = relationship.destinationLayout.relationship(key)?.bit
    else { return false }
    let known = Set(former.map { ObjectIdentifier($0) })
    return members.contains { member in
      let header = member._$header
      return header.pointee.status.contains(.stored) && header.pointee.changedMask & bit == 0
        && !known.contains(ObjectIdentifier(member))
    }
  }
}
