import LarderSQLite
import LarderSupport

// Relationships as faults: each is read when it is accessed, for the siblings of a fetch in one statement.

extension _ContextCore {
  // MARK: To-one

  /// Loads the object at the other end of a to-one, and those of the owner's siblings in the same fetch.
  func loadTarget(
    of owner: any PersistentModel, _ tracker: _EntityTracker, _ relationship: RelationshipLayout, row: Int64,
    _ there: _EntityTracker
  ) throws -> AnyObject? {
    var rows: Set<Int64> = [row]
    // Without a context, nothing would hold the other objects until they are accessed.
    for sibling in isOrphaned
      ? [] : fetchBatchObjects(of: owner, tracker.declaringTracker(relationship.property), relationship)
    {
      let key = sibling._$foreignKey(relationship.property)
      if key > 0, !rows.contains(key), there.find(key) == nil { rows.insert(key) }
    }
    // Held until the requested object is found among them.
    let loaded = try there.loadRows(rows.inOrder())
    defer { withExtendedLifetime(loaded) {} }
    if let found = there.find(row) { return found }
    return nil
  }

  /// Loads the row ID of the object whose foreign key references the owner.
  func loadInverseKey(
    of owner: any PersistentModel, _ tracker: _EntityTracker, _ relationship: RelationshipLayout
  ) throws -> Int64 {
    let header = owner._$header
    guard header.pointee.status.contains(.stored) else {
      owner._$applyChange(relationship.property, .foreignKey(0))
      return 0
    }
    let siblings = fetchBatchObjects(of: owner, tracker.declaringTracker(relationship.property), relationship)
    let owners = siblings.filter { $0._$foreignKey(relationship.property) == _ToOneKey.notLoaded } + [owner]
    try loadInverseKeys(of: owners, tracker, relationship)
    return owner._$foreignKey(relationship.property)
  }

  func loadInverseKeys(
    of owners: [any PersistentModel], _ tracker: _EntityTracker, _ relationship: RelationshipLayout
  ) throws {
    let groups = try loadMembersByOwner(owners, tracker, relationship)
    for owner in owners {
      let other = groups[owner._$header.pointee.rowID]?.first
      if let other { retainTemporarily(other) }
      owner._$applyChange(relationship.property, .foreignKey(other?._$header.pointee.rowID ?? 0))
    }
  }

  func retainTemporarily(_ object: AnyObject) {
    // If the context is gone, nothing would empty its cache.
    if !isOrphaned { _ = relationships.strongReferences.insert(object) }
  }

  // MARK: To-many

  func loadMembers(
    of owner: any PersistentModel, _ tracker: _EntityTracker, _ relationship: RelationshipLayout
  ) throws -> [any PersistentModel] {
    let header = owner._$header
    guard case .many(let loaded) = owner._$relationshipValue(relationship.property) else { return [] }
    let isOwn =
      !header.pointee.status.contains(.stored) || header.pointee.status.contains(.deleted)
      || (header.pointee.status.contains(.changed) && relationship.isEdited(of: owner))
    if let loaded, isOwn {
      // Changes that other contexts saved do not replace a list that was changed here.
      let mark = tracker.concreteTracker(owner).stamp(owner, relationship.property, members: loaded.rowIDs)
      // Reading a list that was never set does not set it.
      let isNew = header.pointee.status.contains(.inserted)
      owner._$applyChange(relationship.property, isNew ? .currentIfSet(generation: mark) : .current(generation: mark))
      return loaded
    }
    if !header.pointee.status.contains(.stored) { return loaded ?? [] }
    if let loaded, !isStale(owner, relationship) { return loaded }
    // A list that is not kept is loaded without those of the siblings.
    let isKept = !isOrphaned || !tracker.mayFormRetainCycle(relationship)
    let siblings =
      isKept ? fetchBatchObjects(of: owner, tracker.declaringTracker(relationship.property), relationship) : []
    let owners = siblings.filter { isStale($0, relationship) && $0 !== owner } + [owner]
    for one in owners where one._$header.pointee.registrar != nil { recordBeforeReload(one, relationship) }
    return try loadToMany(owners, tracker, relationship)
  }

  /// Returns whether a to-many is not loaded, or was loaded before other contexts committed. A loaded list that was changed
  /// here is not stale.
  func isStale(_ model: any PersistentModel, _ relationship: RelationshipLayout) -> Bool {
    let loaded = model._$foreignKey(relationship.property)
    if loaded == 0 { return true }
    return loaded != Int64(relationMarks.generation) && !relationship.isEdited(of: model)
  }

  /// Loads a to-many for several objects.
  ///
  /// - Returns: The members of the last owner.
  @discardableResult
  func loadToMany(
    _ owners: [any PersistentModel], _ tracker: _EntityTracker, _ relationship: RelationshipLayout
  ) throws -> [any PersistentModel] {
    for owner in owners where owner._$foreignKey(relationship.property) != 0 {
      tracker.concreteTracker(owner).recordBase(owner, relationship.property)
    }
    relationships.loadedToManyCount += owners.count
    if try loadUnchangedToMany(owners, tracker, relationship) {
      guard case .many(let objects?)? = owners.last?._$relationshipValue(relationship.property) else { return [] }
      return objects
    }
    var last: [any PersistentModel] = []
    // In one snapshot, so that both are of the same commit. Observers are notified after it.
    let (groups, rows) = try deferringNotifications {
      try tracker.session.read { _ in
        (try loadMembersByOwner(owners, tracker, relationship), try storedRowsIfHidden(owners, tracker, relationship))
      }
    }
    for owner in owners {
      let row = owner._$header.pointee.rowID
      var objects = groups[row] ?? []
      objects = tracker.concreteTracker(owner).applyJoinEdits(
        objects, rows.map { $0[row] ?? [] }, to: owner, relationship)
      last = objects
      // Objects that outlived their context would hold each other forever.
      if isOrphaned && tracker.mayFormRetainCycle(relationship) { continue }
      let mark = tracker.concreteTracker(owner).stamp(owner, relationship.property, members: objects.rowIDs)
      owner._$applyChange(relationship.property, .objects(objects, generation: mark))
      if relationship.usesJoinTable { recordLoadedJoinList(owner, relationship.property) }
    }
    return last
  }

  /// Returns the stored members of lists that were changed here, if members that were moved or deleted may be missing from the
  /// loaded lists; `nil` if none is hidden in this way.
  private func storedRowsIfHidden(
    _ owners: [any PersistentModel], _ tracker: _EntityTracker, _ relationship: RelationshipLayout
  ) throws -> [Int64: [Int64]]? {
    guard case .inverse(let key) = relationship.storage else { return nil }
    let there = try self.tracker(for: relationship.destinationLayout)
    guard there.hasDeletions || there.familyDirtyMask & _ModelLayout.bit(key) != 0 else { return nil }
    let edited = owners.filter {
      tracker.concreteTracker($0).originalRelationships[RelationshipKey($0, relationship.property)] != nil
    }
    return edited.isEmpty ? nil : try storedMembers(edited.rowIDs, tracker, relationship)
  }

  func recordLoadedJoinList(_ model: any PersistentModel, _ property: Int) {
    // If the context is gone, nothing would empty its cache. A list that forms no retain cycle needs no entry.
    guard !isOrphaned, let tracker = model._$header.pointee.tracker,
      let relationship = tracker.layout.relationship(property),
      tracker.mayFormRetainCycle(relationship)
    else { return }
    guard let oldest = relationships.loadedJoinLists.insert(model, property) else { return }
    oldest.model._$header.pointee.tracker?.unload(oldest.model, oldest.property)
  }

  // MARK: Rows

  /// Returns the other objects of the owner's fetch batch that are still alive.
  private func fetchBatchObjects(
    of owner: any PersistentModel, _ tracker: _EntityTracker, _ relationship: RelationshipLayout
  ) -> [any PersistentModel] {
    let header = owner._$header
    guard let list = header.pointee.fetchBatch else { return [] }
    let count = relationship.usesJoinTable ? FetchBatch.joinTableBatchSize : FetchBatch.batchSize
    let rows = list.rows(
      loadedWith: header.pointee.rowID, relationship.property, count: count, generation: relationMarks.generation)
    return rows.compactMap { row in
      guard row != header.pointee.rowID, let object = tracker.find(row) else { return nil }
      let model = tracker.erased(object)
      return model._$header.pointee.status.contains(.deleted) ? nil : model
    }
  }

  /// Returns the objects at the other end by the row IDs of the owners, in the order of the relationship.
  func loadMembersByOwner(
    _ owners: [any PersistentModel], _ tracker: _EntityTracker, _ relationship: RelationshipLayout
  ) throws -> [Int64: [any PersistentModel]] {
    defer { relationMarks.recordToManyLoad() }
    let rows = owners.map { $0._$header.pointee.rowID }
    if hasChanges { relationMarks.hasProvisionalLoads = true }
    let there = try self.tracker(for: relationship.destinationLayout)
    switch relationship.storage {
    case .foreignKey: return [:]
    case .inverse(let key): return try there.loadReferrers(rows, key)
    case .joinTable(let table, let isSource): return try there.loadJoined(rows, table, isSource: isSource)
    }
  }
}

extension _EntityTracker {
  func erased(_ object: AnyObject) -> any PersistentModel { cast(object, layout.type) }
  private func cast<Model: PersistentModel>(_ object: AnyObject, _ type: Model.Type) -> any PersistentModel {
    unsafeDowncast(object, to: Model.self)
  }

  /// Loads rows by their row IDs.
  func loadRows(_ rows: [Int64]) throws -> [any PersistentModel] {
    guard let first = rows.first else { return [] }
    let isOne = rows.count == 1
    let query = relationshipQueries.query(isOne ? .row : .rows) {
      isOne
        ? statements.selectByIdentifier
        : statements.selectRows + " WHERE \(StoreFormat.identifierColumn) IN (SELECT value FROM larder_values(?1))"
    }
    let models = try loadErasedModels(query, layout.type) { statement in
      if isOne { statement.bind(1, first) } else { statement.bind(1, BoundValues(rows)) }
    }
    for model in models { core.retainTemporarily(model) }
    return models
  }

  /// Returns the query for the rows whose key references one of several rows: grouped by that row, in the order of its list.
  func referrersQuery(_ key: Int, _ column: Int, _ order: String?, isOne: Bool) -> PreparedQuery {
    relationshipQueries.query(isOne ? .referrersOfOne(key) : .referrers(key)) {
      let name = StoreFormat.quoted(layout.columns[column].name)
      let orders =
        (isOne ? [] : [name]) + (order.map { [StoreFormat.quoted($0)] } ?? []) + [StoreFormat.identifierColumn]
      return statements.selectRows + " WHERE \(name) " + (isOne ? "= ?1" : "IN (SELECT value FROM larder_values(?1))")
        + " ORDER BY " + orders.joined(separator: ", ")
    }
  }

  /// Returns the objects whose to-one `key` references one of the rows, by that row, including pending changes.
  func loadReferrers(_ rows: [Int64], _ key: Int) throws -> [Int64: [any PersistentModel]] {
    guard let relationship = layout.relationship(key), case .foreignKey(let column, let order) = relationship.storage
    else { return [:] }
    let models = try loadErasedModels(referrersQuery(key, column, order, isOne: rows.count == 1), layout.type) {
      statement in
      if rows.count == 1 { statement.bind(1, rows[0]) } else { statement.bind(1, BoundValues(rows)) }
    }
    var groups: [Int64: [any PersistentModel]] = [:]
    groups.reserveCapacity(rows.count)
    var current: Int64 = 0
    var group: [any PersistentModel] = []
    for model in models {
      let header = model._$header
      // An object that was moved or deleted here belongs to its present list.
      if header.pointee.status.contains(.deleted) { continue }
      if hasChangedForeignKey(model, relationship) { continue }
      let row = model._$foreignKey(key)
      if row != current {
        if current != 0 { groups[current] = group }
        group = groups[row] ?? []
        current = row
      }
      group.append(model)
    }
    if current != 0 { groups[current] = group }
    for tracker in family { tracker.addPendingReferrers(to: &groups, rows, relationship, column) }
    return groups
  }

  /// Adds objects whose key was set here and is not saved.
  private func addPendingReferrers(
    to groups: inout [Int64: [any PersistentModel]], _ rows: [Int64], _ relationship: RelationshipLayout, _ column: Int
  ) {
    if dirtyMask & relationship.bit != 0 {
      let wanted = rows.count > 1 ? Set(rows) : []
      for object in changedObjects(withKey: relationship, to: rows) {
        let model = erased(object)
        if model._$header.pointee.status.contains(.deleted) || !hasChangedForeignKey(model, relationship) { continue }
        let row = model._$foreignKey(relationship.property)
        if rows.count == 1 ? rows[0] == row : wanted.contains(row) { groups[row, default: []].append(model) }
      }
    }
    guard !inserted.isEmpty else { return }
    if rows.count == 1, core.relationships.unsavedReferences == nil {
      for place in insertedIndexes(of: .integer(rows[0]), column: column) {
        let model = erased(inserted[place])
        if !model._$header.pointee.status.contains(.deleted) { groups[rows[0], default: []].append(model) }
      }
    } else {
      let wanted = Set(rows)
      for object in insertedObjects(withKey: relationship, column, to: rows) {
        let model = erased(object)
        let row = model._$foreignKey(relationship.property)
        if row > 0, wanted.contains(row), !model._$header.pointee.status.contains(.deleted) {
          groups[row, default: []].append(model)
        }
      }
    }
  }

  /// Returns the objects that a join table joins to the rows, by row ID.
  func loadJoined(_ rows: [Int64], _ table: JoinTable, isSource: Bool) throws -> [Int64: [any PersistentModel]] {
    let pairs = try session.joinedRows(of: rows, table, isSource: isSource)
    let missing = Set(pairs.map(\.other)).filter { find($0) == nil }
    // Objects that were found must live until they are in a group.
    let known = pairs.compactMap { find($0.other) }
    let loaded = try loadRows(missing.inOrder())
    var groups: [Int64: [any PersistentModel]] = [:]
    for pair in pairs {
      guard let object = find(pair.other) else { continue }
      let model = erased(object)
      if model._$header.pointee.status.contains(.deleted) { continue }
      groups[pair.row, default: []].append(model)
    }
    withExtendedLifetime((known, loaded)) {}
    return groups
  }

  private func loadErasedModels<Model: PersistentModel>(
    _ query: PreparedQuery, _ type: Model.Type, _ bind: (Statement) -> Void
  ) throws -> [any PersistentModel] { _$erased(try loadModels(query, type, bind)) }

  func loadModels<Model: PersistentModel>(
    _ query: PreparedQuery, _ type: Model.Type, _ bind: (Statement) -> Void
  ) throws -> [Model] {
    let what = "reading \(layout.entityName)"
    core.beginDeferringNotifications()
    defer {
      core.endDeferringNotifications()
      core.deliverNotifications()
    }
    let models = try StoreError.mapErrors(store.errorURL, what) {
      try session.read { connection in
        let statement = try query.statement(on: connection)
        defer {
          statement.reset()
          statement.checkIn()
        }
        bind(statement)
        return try _ModelArrayPointer.collect(type) {
          try Model._$load(_RowCursor(statement, of: statements), self, into: $0)
        }
      }
    }
    if hasDeletions {
      for model in models {
        let tracker = concreteTracker(model)
        if tracker.deletedRows.contains(model._$header.pointee.rowID) { tracker.markDeleted(model) }
      }
    }
    return models
  }
}

extension StoreSession {
  /// Returns the pairs of a join table that contain one of the rows, in the order of the rows' side.
  func joinedRows(of rows: [Int64], _ table: JoinTable, isSource: Bool) throws -> [(row: Int64, other: Int64)] {
    let own = isSource ? JoinTable.sourceColumn : JoinTable.targetColumn
    let other = isSource ? JoinTable.targetColumn : JoinTable.sourceColumn
    let order = isSource ? JoinTable.sourceOrderColumn : table.isOrderedByTarget ? JoinTable.targetOrderColumn : other
    let sql =
      "SELECT \(own), \(other) FROM \(StoreFormat.quoted(table.name)) "
      + "WHERE \(own) IN (SELECT value FROM larder_values(?1)) ORDER BY \(own), \(order), \(other)"
    return try StoreError.mapErrors(store.errorURL, "reading \(table.name)") {
      try read { connection in
        try connection.withStatement(for: sql) { statement in
          statement.bind(1, BoundValues(rows))
          var pairs: [(row: Int64, other: Int64)] = []
          while try statement.step() { pairs.append((statement.int64(0), statement.int64(1))) }
          return pairs
        }
      }
    }
  }
}
