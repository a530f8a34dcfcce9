import LarderSQLite
import LarderSupport

// The effects of deletions on related objects. The rows are found and the objects updated before the next read of any of
// them, so that a thousand deletions cost one statement for each relationship and not one each.

extension _ContextCore {
  /// Applies the delete rules of the relationships of deleted objects to the related objects.
  @inline(__always)
  package func propagateDeletions() throws {
    if relationMarks.hasPendingPropagation { try propagateAllDeletions() }
  }

  @inline(never)
  private func propagateAllDeletions() throws {
    // Propagation itself calls this again, and so does a type's own coding that reads meanwhile.
    guard !isPropagatingDeletions else { return }
    try deferringNotifications { try withOperation(.propagatingDeletions) { try propagateDeferringNotifications() } }
  }

  private func propagateDeferringNotifications() throws {
    #if DEBUG
      var touched: [any PersistentModel] = []
    #endif
    let unsaved = UnsavedReferences()
    relationships.unsavedReferences = unsaved
    defer { relationships.unsavedReferences = nil }
    while let tracker = trackers.first(where: { !$0.pendingPropagation.isEmpty }) {
      let rows = tracker.pendingPropagation
      do {
        tracker.pendingPropagation = []
        relationships.propagationLog.markPropagated()
        try DeletePropagation(core: self, unsavedReferences: unsaved, tracker: tracker, rows: rows).propagate()
        #if DEBUG
          touched += tracker._instances(rows)
        #endif
      } catch {
        tracker.pendingPropagation = rows + tracker.pendingPropagation
        throw error
      }
    }
    // Objects that leave must be released with the program's last reference to them.
    relationships.unsavedReferences = nil
    detachDiscardedInserts()
    relationMarks.endPropagation()
    #if DEBUG
      OperationInvariants.check(self, touched)
    #endif
  }

  /// Performs the requests that a type's own coding made during an operation, since half of a deletion cannot be reverted.
  func performDeferredRequests() {
    let waiting = relationships.deferredRequests
    if waiting.isEmpty { return }
    relationships.deferredRequests = []
    for request in waiting {
      switch request {
      case .restore(let model): cancelDeletion(of: model)
      case .delete(let model): delete(model)
      case .rollback: rollback()
      case .work(let body): body(self)
      }
    }
  }

  /// Releases objects that were deleted before their first save, if there are any.
  func discardDeletedInserts() {
    if relationships.discardedInserts.isEmpty { return }
    do {
      try propagateDeletions()
    } catch {
      if pendingError == nil { pendingError = error }
    }
  }

  private func detachDiscardedInserts() {
    let departing = relationships.discardedInserts
    guard !departing.isEmpty else { return }
    relationships.discardedInserts = []
    let opposed = relationships.lostRequiredTargets.union(
      relationships.deleteRuleViolations.map { RowKey($0.deleted.tracker, $0.deleted.row) })
    var leaving: [(model: any PersistentModel, tracker: _EntityTracker)] = []
    for model in departing {
      let header = model._$header
      // The object may have been inserted again.
      guard let tracker = header.pointee.tracker, header.pointee.status.isSuperset(of: [.inserted, .deleted]) else {
        continue
      }
      let place = RowKey(tracker, header.pointee.rowID)
      if opposed.contains(place) { relationships.requiredDeletedObjects[place] = model }
      relationships.propagationLog.recordDiscardedInsert(of: model, from: place)
      leaving.append((model, tracker))
    }
    withMembershipCache { for (model, tracker) in leaving { tracker.detach(model, detachesUnsaved: false) } }
    RetainCycleBreaking.breakCycles(among: leaving)
    let gone = Set(leaving.map { ObjectIdentifier($0.model) })
    if leaving.count == 1, let (model, tracker) = leaving.first {
      tracker.inserted.removeInstance(model)
      tracker.insertedIndexes.removeAll()
    } else {
      for tracker in trackers where tracker.inserted.contains(where: { gone.contains(ObjectIdentifier($0)) }) {
        tracker.inserted.removeAll { gone.contains(ObjectIdentifier($0)) }
        tracker.insertedIndexes.removeAll()
      }
    }
    for (model, tracker) in leaving { tracker.release(model._$header, status: []) }
    if !hasChanges { didClearChanges() }
  }
}

extension Array where Element == AnyObject {
  /// Removes one object.
  mutating func removeInstance(_ object: AnyObject) {
    if let place = indexFromEnds(where: { $0 === object }) { remove(at: place) }
  }
}

extension Array where Element == any PersistentModel {
  /// Removes one model.
  mutating func removeInstance(_ model: AnyObject) {
    if let place = indexFromEnds(where: { $0 === model }) { remove(at: place) }
  }
}

extension Array {
  /// Returns the index of an element, searched from both ends: objects that are removed one by one are mostly at one end.
  fileprivate func indexFromEnds(where isWanted: (Element) -> Bool) -> Int? {
    var (first, last) = (0, count - 1)
    while first <= last {
      if isWanted(self[last]) { return last }
      if isWanted(self[first]) { return first }
      first += 1
      last -= 1
    }
    return nil
  }
}

/// The consequences of the deletion of some rows of one model.
private struct DeletePropagation {
  let core: _ContextCore
  let unsavedReferences: UnsavedReferences
  let tracker: _EntityTracker
  let rows: [Int64]
  private let rowSet: Set<Int64>
  /// The objects among them that are in memory.
  private let objects: [any PersistentModel]

  init(core: _ContextCore, unsavedReferences unsaved: UnsavedReferences, tracker: _EntityTracker, rows: [Int64]) {
    self.core = core
    self.unsavedReferences = unsaved
    self.tracker = tracker
    self.rows = rows
    rowSet = Set(rows)
    objects = rows.compactMap { tracker.find($0).map(tracker.erased) }
  }

  func propagate() throws {
    for relationship in tracker.layout.relationships {
      switch relationship.storage {
      case .inverse(let key): try propagateToReferrers(relationship, foreignKey: key)
      case .foreignKey: try propagateFromForeignKey(relationship)
      case .joinTable(let table, let isSource): try propagateThroughJoinTable(relationship, table, isSource: isSource)
      }
    }
    for incoming in core.container.incomingRelations(of: tracker.layout) { try propagate(to: incoming) }
  }

  /// Deletes the related rows along with the deleted ones.
  private func cascade(_ pairs: [(row: Int64, deleted: Int64)], _ there: _EntityTracker) throws {
    // Of a hundred thousand rows, none is checked if no row can be excluded.
    let mayBeLeftOut = core.relationships.propagationLog.hasDiscardedInserts || there.root.hasDeletions
    let pairs =
      !mayBeLeftOut
      ? pairs
      : pairs.filter { pair in
        let place = RowKey(there, pair.row)
        // A discarded insert has left after the first propagation. At the next, another object may have its row ID.
        if let gone = core.relationships.propagationLog.discardedInsert(from: place), there.find(pair.row) !== gone {
          return false
        }
        // A row that the program deleted explicitly is not restored together with these.
        return !there.isDeleted(pair.row) || core.relationships.propagationLog.isOnlyCascaded(place)
      }
    core.relationships.propagationLog.recordCascade(of: pairs, of: there, by: tracker)
    try there.deleteRows(pairs.map { $0.row }.distinctInOrder())
  }

  // MARK: Referrers

  /// Returns the delete rule that applies to the targets of a relationship.
  private func effectiveRule(for relationship: RelationshipLayout) -> Schema.Relationship.DeleteRule {
    core.options.appliesDeleteRules ? relationship.deleteRule : .nullify
  }

  private func propagateToReferrers(_ relationship: RelationshipLayout, foreignKey key: Int) throws {
    let there = try core.tracker(for: relationship.destinationLayout)
    guard let keyRelation = there.layout.relationship(key) else { return }
    switch effectiveRule(for: relationship) {
    case .cascade:
      try cascade(references(of: there, keyRelation, includingDeleted: true), there)
    case .deny:
      // A referrer that is deleted may be restored.
      for (row, deleted) in try references(of: there, keyRelation, includingDeleted: true) {
        core.relationships.deleteRuleViolations.append(
          DeleteRuleViolation(
            deleted: (tracker, deleted), blocker: (there, row), foreignKey: keyRelation, isDenyRule: true,
            relationshipName: "\(tracker.layout.entityName).\(relationship.name)"))
      }
    case .nullify, .noAction: try nullify(keyRelation, of: there)
    }
  }

  /// Sets the keys of the objects that reference the rows to none. A required key becomes a violation.
  private func nullify(_ key: RelationshipLayout, of there: _EntityTracker) throws {
    if key.isOptional {
      var (severed, stored): ([(row: Int64, deleted: Int64)], [(row: Int64, deleted: Int64)]) = ([], [])
      for (deleted, group) in try there.loadReferrers(rows, key.property) {
        for model in group {
          let pair = (model._$header.pointee.rowID, deleted)
          if there.concreteTracker(model).hasStoredForeignKey(model, key) {
            stored.append(pair)
          } else {
            severed.append(pair)
          }
          core.setForeignKey(model, there, key, 0)
        }
      }
      core.relationships.propagationLog.recordNullification(of: severed, of: there, key, by: tracker)
      core.relationships.propagationLog.recordNullification(of: stored, of: there, key, by: tracker, wasStored: true)
    } else {
      for (row, deleted) in try references(of: there, key) {
        core.relationships.deleteRuleViolations.append(
          DeleteRuleViolation(
            deleted: (tracker, deleted), blocker: (there, row), foreignKey: key, isDenyRule: false,
            relationshipName: "\(there.layout.entityName).\(key.name)"))
      }
    }
  }

  // MARK: Targets of deleted rows

  private func propagateFromForeignKey(_ relationship: RelationshipLayout) throws {
    let there = try core.tracker(for: relationship.destinationLayout)
    switch effectiveRule(for: relationship) {
    case .cascade:
      try cascade(targets(of: relationship).map { (row: $0.target, deleted: $0.row) }, there)
    case .deny:
      for (row, target) in try targets(of: relationship) {
        core.relationships.deleteRuleViolations.append(
          DeleteRuleViolation(
            deleted: (tracker, row), blocker: (there, target), foreignKey: nil, isDenyRule: true,
            relationshipName: "\(tracker.layout.entityName).\(relationship.name)"))
      }
    case .nullify, .noAction: break
    }
    // Both ends have a key to the other.
    if relationship.isSymmetric { try nullify(relationship, of: there) }
    guard let inverse = relationship.inverse else { return }
    var leaving = MemberRemovals()
    for model in objects {
      let row = model._$foreignKey(relationship.property)
      guard row > 0, let target = there.find(row).map(there.erased) else { continue }
      if inverse.isToMany {
        leaving.append(model, of: target)
      } else if target._$foreignKey(inverse.property) == model._$header.pointee.rowID {
        core.setForeignKey(target, there, inverse, 0)
      }
    }
    for (target, members) in leaving.lists { core.removeMembers(target, there, inverse, members) }
    guard !inverse.isToMany, objects.count < rows.count else { return }
    // An object may know that a row has the key to it, while that row's object is not in memory.
    for (row, other) in try targets(of: relationship) {
      guard let target = there.find(other).map(there.erased), target._$foreignKey(inverse.property) == row else {
        continue
      }
      core.setForeignKey(target, there, inverse, 0)
    }
  }

  private func targets(of relationship: RelationshipLayout) throws -> [(row: Int64, target: Int64)] {
    let known = Set(objects.map { $0._$header.pointee.rowID })
    let stored = try tracker.storedForeignKeys(of: rows, relationship).filter { !known.contains($0.row) }
    return stored
      + objects.compactMap { model in
        let target = model._$foreignKey(relationship.property)
        return target > 0 ? (row: model._$header.pointee.rowID, target: target) : nil
      }
  }

  // MARK: Join tables

  private func propagateThroughJoinTable(_ relationship: RelationshipLayout, _ table: JoinTable, isSource: Bool) throws
  {
    let there = try core.tracker(for: relationship.destinationLayout)
    var linked: [(row: Int64, other: Int64)] = []
    var loaded: Set<Int64> = []
    for model in objects {
      // A list that was loaded before other contexts committed stays in the object; its pairs are read from the store.
      if model._$header.pointee.status.contains(.stored), core.isStale(model, relationship) { continue }
      guard case .many(let others?) = model._$relationshipValue(relationship.property) else { continue }
      let row = model._$header.pointee.rowID
      loaded.insert(row)
      linked += others.map { (row, $0._$header.pointee.rowID) }
    }
    let unloaded = rows.filter { !loaded.contains($0) }
    if !unloaded.isEmpty { linked += try tracker.session.joinedRows(of: unloaded, table, isSource: isSource) }
    for model in objects where !loaded.contains(model._$header.pointee.rowID) {
      guard let edit = tracker.joinEdits[RelationshipKey(model, relationship.property)] else { continue }
      let row = model._$header.pointee.rowID
      linked.removeAll { $0.row == row && edit.removed.contains($0.other) }
      linked += edit.added.map { (row, $0._$header.pointee.rowID) }
    }
    switch effectiveRule(for: relationship) {
    case .cascade: try cascade(linked.map { (row: $0.other, deleted: $0.row) }, there)
    case .deny:
      for (row, other) in linked {
        core.relationships.deleteRuleViolations.append(
          DeleteRuleViolation(
            deleted: (tracker, row), blocker: (there, other), foreignKey: nil, isDenyRule: true,
            relationshipName: "\(tracker.layout.entityName).\(relationship.name)"))
      }
    case .nullify, .noAction: break
    }
    guard let inverse = relationship.inverse else { return }
    let byRow = Dictionary(objects.map { ($0._$header.pointee.rowID, $0) }, uniquingKeysWith: { first, _ in first })
    var leaving = MemberRemovals()
    for (row, other) in linked {
      // An object that was never loaded is in no list either.
      guard let model = byRow[row], let target = there.find(other).map(there.erased) else { continue }
      leaving.append(model, of: target)
    }
    for (target, members) in leaving.lists { core.removeMembers(target, there, inverse, members) }
  }

  // MARK: Relationships without an inverse

  private func propagate(to incoming: IncomingRelationship) throws {
    let there = try core.tracker(for: incoming.layout)
    switch incoming.relationship.storage {
    case .foreignKey: try nullify(incoming.relationship, of: there)
    case .inverse: break
    case .joinTable(let table, _):
      let sources = try tracker.session.joinedRows(of: rows, table, isSource: false)
      let byRow = Dictionary(objects.map { ($0._$header.pointee.rowID, $0) }, uniquingKeysWith: { first, _ in first })
      var unseen: [(row: Int64, deleted: Int64)] = []
      var leaving = MemberRemovals()
      for (row, source) in sources {
        guard let holder = there.find(source).map(there.erased), let model = byRow[row] else {
          // The list may be loaded, without the object, before the deletion is reverted.
          unseen.append((source, row))
          continue
        }
        leaving.append(model, of: holder)
      }
      core.relationships.propagationLog.recordNullification(of: unseen, of: there, incoming.relationship, by: tracker)
      // Members that were added here and are not saved.
      for (holder, member) in unsavedReferences.pairs(of: there, incoming.relationship, with: rows) {
        leaving.append(member, of: holder)
      }
      for (holder, members) in leaving.lists { removeDeletedMembers(holder, there, incoming.relationship, members) }
    }
  }

  /// Removes deleted members from a list without an inverse, as far as the list contains them.
  private func removeDeletedMembers(
    _ holder: any PersistentModel, _ there: _EntityTracker, _ relationship: RelationshipLayout,
    _ members: [any PersistentModel]
  ) {
    let leaving: [any PersistentModel]
    if case .many(let present?) = holder._$relationshipValue(relationship.property) {
      let wanted = Set(members.map { ObjectIdentifier($0) })
      leaving = present.filter { wanted.contains(ObjectIdentifier($0)) }
    } else {
      let removed =
        there.concreteTracker(holder).joinEdits[RelationshipKey(holder, relationship.property)]?.removed ?? []
      var seen: Set<ObjectIdentifier> = []
      leaving = members.filter {
        !removed.contains($0._$header.pointee.rowID) && seen.insert(ObjectIdentifier($0)).inserted
      }
    }
    if leaving.isEmpty { return }
    let row = holder._$header.pointee.rowID
    core.relationships.propagationLog.recordNullification(
      of: leaving.map { (row, $0._$header.pointee.rowID) }, of: there, relationship, by: tracker)
    core.removeMembers(holder, there, relationship, leaving)
  }
}

/// The members that leave lists, grouped by list: one by one, each would be searched in its list anew.
private struct MemberRemovals {
  private(set) var lists: [(owner: any PersistentModel, members: [any PersistentModel])] = []
  private var indexes: [ObjectIdentifier: Int] = [:]

  mutating func append(_ member: any PersistentModel, of owner: any PersistentModel) {
    let place = indexes[ObjectIdentifier(owner)] ?? lists.count
    if place == lists.count {
      indexes[ObjectIdentifier(owner)] = place
      lists.append((owner, []))
    }
    lists[place].members.append(member)
  }
}

extension DeletePropagation {
  private func references(
    of there: _EntityTracker, _ key: RelationshipLayout, includingDeleted andDeleted: Bool = false
  ) throws -> [(row: Int64, deleted: Int64)] {
    try there.references(key, to: rows, rowSet, includingDeleted: andDeleted)
  }
}

extension _EntityTracker {
  /// Returns the stored foreign keys of several rows, without those that are NULL.
  func storedForeignKeys(of rows: [Int64], _ key: RelationshipLayout) throws -> [(row: Int64, target: Int64)] {
    try storedForeignKeys(key, rows) { _ in StoreFormat.identifierColumn }
  }

  /// Returns the stored foreign keys that reference one of several rows.
  func storedReferences(_ key: RelationshipLayout, to rows: [Int64]) throws -> [(row: Int64, target: Int64)] {
    try storedForeignKeys(key, rows) { $0 }
  }

  /// Returns the stored foreign keys of the rows that match.
  ///
  /// - Parameter asked: Returns, for the foreign key's column, the column that must contain one of the rows.
  private func storedForeignKeys(
    _ key: RelationshipLayout, _ rows: [Int64], matching asked: (String) -> String
  ) throws -> [(row: Int64, target: Int64)] {
    guard case .foreignKey(let column, _) = key.storage else { return [] }
    let name = StoreFormat.quoted(layout.columns[column].name)
    let sql =
      "SELECT \(StoreFormat.identifierColumn), \(name) FROM \(statements.table) "
      + "WHERE \(asked(name)) IN (SELECT value FROM larder_values(?1)) AND \(name) IS NOT NULL"
    return try session.rowIDPairs(sql, rows).map { (row: $0.0, target: $0.1) }
  }

  /// Returns the rows with a foreign key that references one of several rows, in the store or in memory.
  fileprivate func references(
    _ key: RelationshipLayout, to rows: [Int64], _ wanted: Set<Int64>, includingDeleted andDeleted: Bool
  ) throws -> [(row: Int64, deleted: Int64)] {
    guard case .foreignKey(let column, _) = key.storage else { return [] }
    var result: [(row: Int64, deleted: Int64)] = []
    let isDirty = familyDirtyMask & key.bit != 0
    for (row, deleted) in try storedReferences(key, to: rows) where andDeleted || !isDeleted(row) {
      // The object in memory references another row.
      if isDirty, let known = find(row), erased(known)._$foreignKey(key.property) != deleted { continue }
      result.append((row, deleted))
    }
    let seen = isDirty ? Set(result.map(\.row)) : []
    let inserted = family.flatMap { $0.insertedObjects(withKey: key, column, to: rows) }
    let changed = isDirty ? family.flatMap { $0.changedObjects(withKey: key, to: rows) } : []
    for object in changed + inserted {
      let model = erased(object)
      let header = model._$header
      let target = model._$foreignKey(key.property)
      if header.pointee.status.contains(.deleted), !andDeleted { continue }
      if !wanted.contains(target) || seen.contains(header.pointee.rowID) {
        continue
      }
      result.append((header.pointee.rowID, target))
    }
    return result
  }
}

extension StoreSession {
  /// Returns the pairs of integers that a statement with a list of rows yields.
  fileprivate func rowIDPairs(_ sql: String, _ rows: [Int64]) throws -> [(Int64, Int64)] {
    try StoreError.mapErrors(store.errorURL, "looking for related rows") {
      try read { connection in
        try connection.withStatement(for: sql) { statement in
          statement.bind(1, BoundValues(rows))
          var result: [(Int64, Int64)] = []
          while try statement.step() { result.append((statement.int64(0), statement.int64(1))) }
          return result
        }
      }
    }
  }
}
