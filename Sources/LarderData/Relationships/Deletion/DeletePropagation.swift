import LarderSQLite
import LarderSupport

// What a deletion does to related objects: their rows are found, and their objects brought in step, before anything
// is next read of them, so that a thousand deletions cost a statement for each relationship and not one each.

extension _ContextCore {
  /// Carries deletions to what is related to what was deleted, by the rules of its relationships.
  @inline(__always)
  package func propagateDeletions() throws {
    if relationMarks.hasPendingPropagation { try propagateAllDeletions() }
  }

  @inline(never)
  private func propagateAllDeletions() throws {
    // Asked for again by what it does itself, and by what a type's own coding reads meanwhile.
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
    // Objects that leave must end with the last reference to them that the program has.
    relationships.unsavedReferences = nil
    detachDiscardedInserts()
    relationMarks.endPropagation()
    #if DEBUG
      OperationInvariants.check(self, touched)
    #endif
  }

  /// What a type's own coding asked for in the midst of work: half of a deletion cannot be taken back.
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

  /// Lets objects go that were deleted before they were ever saved, if there are any.
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
      // It may have been inserted again.
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
  /// Takes one object out.
  mutating func removeInstance(_ object: AnyObject) {
    if let place = indexFromEnds(where: { $0 === object }) { remove(at: place) }
  }
}

extension Array where Element == any PersistentModel {
  /// Takes one model out.
  mutating func removeInstance(_ model: AnyObject) {
    if let place = indexFromEnds(where: { $0 === model }) { remove(at: place) }
  }
}

extension Array {
  /// Where an element is, sought from both ends: those that go one by one mostly go from one.
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

  /// Deletes what is related to the rows along with them.
  private func cascade(_ pairs: [(row: Int64, deleted: Int64)], _ there: _EntityTracker) throws {
    // Of a hundred thousand rows none is asked about where nothing could leave it out.
    let mayBeLeftOut = core.relationships.propagationLog.hasDiscardedInserts || there.root.hasDeletions
    let pairs =
      !mayBeLeftOut
      ? pairs
      : pairs.filter { pair in
        let place = RowKey(there, pair.row)
        // What was never saved has left by the first time, and by the next its row may be another's.
        if let gone = core.relationships.propagationLog.discardedInsert(from: place), there.find(pair.row) !== gone {
          return false
        }
        // What somebody deleted for its own sake is not to come back with these.
        return !there.isDeleted(pair.row) || core.relationships.propagationLog.isOnlyCascaded(place)
      }
    core.relationships.propagationLog.recordCascade(of: pairs, of: there, by: tracker)
    try there.deleteRows(pairs.map { $0.row }.distinctInOrder())
  }

  // MARK: The others have the key

  /// What happens to what a relationship leads to.
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
      // One that is deleted may come back.
      for (row, deleted) in try references(of: there, keyRelation, includingDeleted: true) {
        core.relationships.deleteRuleViolations.append(
          DeleteRuleViolation(
            deleted: (tracker, deleted), blocker: (there, row), foreignKey: keyRelation, isDenyRule: true,
            relationshipName: "\(tracker.layout.entityName).\(relationship.name)"))
      }
    case .nullify, .noAction: try nullify(keyRelation, of: there)
    }
  }

  /// Takes the key out of the objects that refer to the rows.
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

  // MARK: What is deleted has the key

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
    // Both have the key to each other.
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
    // Whoever knows that a row has the key to it need not have that row's object.
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

  // MARK: Pairs

  private func propagateThroughJoinTable(_ relationship: RelationshipLayout, _ table: JoinTable, isSource: Bool) throws
  {
    let there = try core.tracker(for: relationship.destinationLayout)
    var linked: [(row: Int64, other: Int64)] = []
    var loaded: Set<Int64> = []
    for model in objects {
      // What was loaded before others committed stays in the object, and is not what is to be told.
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
      // One that nobody ever loaded is in no list either.
      guard let model = byRow[row], let target = there.find(other).map(there.erased) else { continue }
      leaving.append(model, of: target)
    }
    for (target, members) in leaving.lists { core.removeMembers(target, there, inverse, members) }
  }

  // MARK: Relationships that nothing mirrors

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
          // The list may be loaded, without it, before the deletion is taken back.
          unseen.append((source, row))
          continue
        }
        leaving.append(model, of: holder)
      }
      core.relationships.propagationLog.recordNullification(of: unseen, of: there, incoming.relationship, by: tracker)
      // What was added here and is not saved.
      for (holder, member) in unsavedReferences.pairs(of: there, incoming.relationship, with: rows) {
        leaving.append(member, of: holder)
      }
      for (holder, members) in leaving.lists { removeDeletedMembers(holder, there, incoming.relationship, members) }
    }
  }

  /// Takes deleted members out of a list that nothing mirrors, as far as they are in it.
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

/// The members that leave lists, each list's together: one by one they would be sought in it again and again.
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
  /// The stored foreign keys of some rows, which have one that is not NULL.
  func storedForeignKeys(of rows: [Int64], _ key: RelationshipLayout) throws -> [(row: Int64, target: Int64)] {
    try storedForeignKeys(key, rows) { _ in StoreFormat.identifierColumn }
  }

  /// The stored foreign keys that refer to some rows.
  func storedReferences(_ key: RelationshipLayout, to rows: [Int64]) throws -> [(row: Int64, target: Int64)] {
    try storedForeignKeys(key, rows) { $0 }
  }

  /// - Parameter asked: The column, by the foreign key's, that has one of the rows.
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

  /// The rows with a foreign key to one of some others, in the store or in memory.
  fileprivate func references(
    _ key: RelationshipLayout, to rows: [Int64], _ wanted: Set<Int64>, includingDeleted andDeleted: Bool
  ) throws -> [(row: Int64, deleted: Int64)] {
    guard case .foreignKey(let column, _) = key.storage else { return [] }
    var result: [(row: Int64, deleted: Int64)] = []
    let isDirty = familyDirtyMask & key.bit != 0
    for (row, deleted) in try storedReferences(key, to: rows) where andDeleted || !isDeleted(row) {
      // One that refers to another by now.
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
  /// Pairs of numbers that a statement with a list of rows yields.
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
