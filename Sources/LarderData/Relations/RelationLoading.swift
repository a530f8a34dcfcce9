import LarderSQLite
import LarderSupport

// Relationships as faults: read when they are touched, for the siblings of a fetch in one statement.

extension ContextCore {
  // MARK: To-one

  /// Reads the object at the other end of a to-one, and those of the objects after it in the same fetch.
  func loadTarget(
    of owner: any PersistentModel, _ state: EntityState, _ relation: RelationLayout, row: Int64, _ there: EntityState
  ) throws -> AnyObject? {
    var rows: Set<Int64> = [row]
    // Without a context nobody would hold the others until they are asked for.
    for sibling in isOrphan ? [] : siblings(of: owner, state.declaring(relation.property), relation) {
      let key = sibling._$key(relation.property)
      if key > 0, !rows.contains(key), there.find(key) == nil { rows.insert(key) }
    }
    // Held until the one that was asked for is found among them.
    let loaded = try there.loadRows(rows.inOrder())
    defer { withExtendedLifetime(loaded) {} }
    if let found = there.find(row) { return found }
    return nil
  }

  /// The row that has the key to this one.
  func loadMirroredKey(
    of owner: any PersistentModel, _ state: EntityState, _ relation: RelationLayout
  ) throws -> Int64 {
    let header = owner._$header
    guard header.pointee.status.contains(.stored) else {
      owner._$change(relation.property, .key(0))
      return 0
    }
    let siblings = siblings(of: owner, state.declaring(relation.property), relation)
    let owners = siblings.filter { $0._$key(relation.property) == ToOneKey.unknown } + [owner]
    try loadMirroredKeys(of: owners, state, relation)
    return owner._$key(relation.property)
  }

  func loadMirroredKeys(
    of owners: [any PersistentModel], _ state: EntityState, _ relation: RelationLayout
  ) throws {
    let groups = try loadGroups(owners, state, relation)
    for owner in owners {
      let other = groups[owner._$header.pointee.rowID]?.first
      if let other { keep(other) }
      owner._$change(relation.property, .key(other?._$header.pointee.rowID ?? 0))
    }
  }

  func keep(_ object: AnyObject) {
    // Nobody would empty the list of a context that has gone.
    if !isOrphan { _ = relations.kept.keep(object) }
  }

  // MARK: To-many

  func objects(
    of owner: any PersistentModel, _ state: EntityState, _ relation: RelationLayout
  ) throws -> [any PersistentModel] {
    let header = owner._$header
    guard case .many(let loaded) = owner._$relation(relation.property) else { return [] }
    let isOwn =
      !header.pointee.status.contains(.stored) || header.pointee.status.contains(.deleted)
      || (header.pointee.status.contains(.changed) && relation.isEdited(of: owner))
    if let loaded, isOwn {
      // What was changed here is not replaced by what others saved.
      let mark = state.own(owner).mark(owner, relation.property, holding: loaded.rows)
      // A look at one that was never set does not set it.
      let isNew = header.pointee.status.contains(.inserted)
      owner._$change(relation.property, isNew ? .entered(generation: mark) : .current(generation: mark))
      return loaded
    }
    if !header.pointee.status.contains(.stored) { return loaded ?? [] }
    if let loaded, !isOutdated(owner, relation) { return loaded }
    // A list that nobody keeps is loaded by itself.
    let isKept = !isOrphan || !state.mayLeadBack(relation)
    let siblings = isKept ? siblings(of: owner, state.declaring(relation.property), relation) : []
    let owners = siblings.filter { isOutdated($0, relation) && $0 !== owner } + [owner]
    for one in owners where one._$header.pointee.registrar != nil { noteUntold(one, relation) }
    return try fill(owners, state, relation)
  }

  /// Whether a to-many is not loaded, or was before others committed; one that was changed here stays as it is.
  func isOutdated(_ model: any PersistentModel, _ relation: RelationLayout) -> Bool {
    let loaded = model._$key(relation.property)
    if loaded == 0 { return true }
    return loaded != Int64(relationMarks.generation) && !relation.isEdited(of: model)
  }

  /// Loads a to-many for several objects.
  ///
  /// - Returns: What the last one has in it.
  @discardableResult
  func fill(
    _ owners: [any PersistentModel], _ state: EntityState, _ relation: RelationLayout
  ) throws -> [any PersistentModel] {
    for owner in owners where owner._$key(relation.property) != 0 {
      state.own(owner).noteShown(owner, relation.property)
    }
    relations.filledLists += owners.count
    if try fillAsStored(owners, state, relation) {
      guard case .many(let objects?)? = owners.last?._$relation(relation.property) else { return [] }
      return objects
    }
    var last: [any PersistentModel] = []
    // In one snapshot, so that both are of the same commit; those who observe what is read are told after it.
    let (groups, rows) = try quietly {
      try state.session.read { _ in
        (try loadGroups(owners, state, relation), try rowsWithHidden(owners, state, relation))
      }
    }
    for owner in owners {
      let row = owner._$header.pointee.rowID
      var objects = groups[row] ?? []
      objects = state.own(owner).linked(objects, rows.map { $0[row] ?? [] }, to: owner, relation)
      last = objects
      // Objects that outlived their context would keep each other for ever.
      if isOrphan && state.mayLeadBack(relation) { continue }
      let mark = state.own(owner).mark(owner, relation.property, holding: objects.rows)
      owner._$change(relation.property, .objects(objects, generation: mark))
      if relation.isLink { noteLinkHolder(owner, relation.property) }
    }
    return last
  }

  /// What the store has in lists that were changed here, where some of it may not be read into them, since it was moved out of
  /// them or deleted; nil where nothing is hidden so.
  private func rowsWithHidden(
    _ owners: [any PersistentModel], _ state: EntityState, _ relation: RelationLayout
  ) throws -> [Int64: [Int64]]? {
    guard case .mirror(let key) = relation.form else { return nil }
    let there = try self.state(for: relation.destinationLayout)
    guard there.hasDeletions || there.familyDirtyMask & ModelLayout.bit(key) != 0 else { return nil }
    let edited = owners.filter { state.own($0).formerRelations[RelationPlace($0, relation.property)] != nil }
    return edited.isEmpty ? nil : try storedLists(edited.rows, state, relation)
  }

  func noteLinkHolder(_ model: any PersistentModel, _ property: Int) {
    // Nobody would empty the list of a context that has gone, and what leads nowhere back keeps nobody for ever.
    guard !isOrphan, let state = model._$header.pointee.state, let relation = state.layout.relation(property),
      state.mayLeadBack(relation)
    else { return }
    guard let oldest = relations.linkHolders.note(model, property) else { return }
    oldest.model._$header.pointee.state?.unload(oldest.model, oldest.property)
  }

  // MARK: Rows

  /// The objects of the same fetch around this one that are still alive, without this one.
  private func siblings(
    of owner: any PersistentModel, _ state: EntityState, _ relation: RelationLayout
  ) -> [any PersistentModel] {
    let header = owner._$header
    guard let list = header.pointee.siblings else { return [] }
    let count = relation.isLink ? SiblingList.linkedBatch : SiblingList.batch
    let rows = list.rows(
      loadedWith: header.pointee.rowID, relation.property, count: count, generation: relationMarks.generation)
    return rows.compactMap { row in
      guard row != header.pointee.rowID, let object = state.find(row) else { return nil }
      let model = state.erased(object)
      return model._$header.pointee.status.contains(.deleted) ? nil : model
    }
  }

  /// The objects at the other end, for each of the owners' rows, in their order.
  func loadGroups(
    _ owners: [any PersistentModel], _ state: EntityState, _ relation: RelationLayout
  ) throws -> [Int64: [any PersistentModel]] {
    defer { relationMarks.noteLoadedLists() }
    let rows = owners.map { $0._$header.pointee.rowID }
    if hasChanges { relationMarks.isLoadedWithPending = true }
    let there = try self.state(for: relation.destinationLayout)
    switch relation.form {
    case .key: return [:]
    case .mirror(let key): return try there.loadMirroring(rows, key)
    case .link(let table, let isSource): return try there.loadLinked(rows, table, isSource: isSource)
    }
  }
}

extension EntityState {
  func erased(_ object: AnyObject) -> any PersistentModel { model(object, layout.type) }
  private func model<Model: PersistentModel>(_ object: AnyObject, _ type: Model.Type) -> any PersistentModel {
    unsafeDowncast(object, to: Model.self)
  }

  /// Reads rows by their identifiers.
  func loadRows(_ rows: [Int64]) throws -> [any PersistentModel] {
    guard let first = rows.first else { return [] }
    let isOne = rows.count == 1
    let query = queries.query(isOne ? .row : .rows) {
      isOne
        ? statements.selectByIdentifier
        : statements.selectRows + " WHERE \(StoreFormat.identifierColumn) IN (SELECT value FROM larder_values(?1))"
    }
    let models = try loadErased(query, layout.type) { statement in
      if isOne { statement.bind(1, first) } else { statement.bind(1, BoundValues(rows)) }
    }
    for model in models { core.keep(model) }
    return models
  }

  /// The rows whose key is one of some others, side by side for each of them, in the order that it gives them.
  func mirroringQuery(_ key: Int, _ column: Int, _ order: String?, isOne: Bool) -> Query {
    queries.query(isOne ? .mirroringOne(key) : .mirroring(key)) {
      let name = StoreFormat.quoted(layout.columns[column].name)
      let orders =
        (isOne ? [] : [name]) + (order.map { [StoreFormat.quoted($0)] } ?? []) + [StoreFormat.identifierColumn]
      return statements.selectRows + " WHERE \(name) " + (isOne ? "= ?1" : "IN (SELECT value FROM larder_values(?1))")
        + " ORDER BY " + orders.joined(separator: ", ")
    }
  }

  /// The objects whose to-one `key` leads to one of the rows, by that row, with what is pending.
  func loadMirroring(_ rows: [Int64], _ key: Int) throws -> [Int64: [any PersistentModel]] {
    guard let relation = layout.relation(key), case .key(let column, let order) = relation.form else { return [:] }
    let models = try loadErased(mirroringQuery(key, column, order, isOne: rows.count == 1), layout.type) { statement in
      if rows.count == 1 { statement.bind(1, rows[0]) } else { statement.bind(1, BoundValues(rows)) }
    }
    var groups: [Int64: [any PersistentModel]] = [:]
    groups.reserveCapacity(rows.count)
    var current: Int64 = 0
    var group: [any PersistentModel] = []
    for model in models {
      let header = model._$header
      // What was moved or deleted here belongs where it is now.
      if header.pointee.status.contains(.deleted) { continue }
      if isMoved(model, relation) { continue }
      let row = model._$key(key)
      if row != current {
        if current != 0 { groups[current] = group }
        group = groups[row] ?? []
        current = row
      }
      group.append(model)
    }
    if current != 0 { groups[current] = group }
    for state in family { state.addPending(to: &groups, rows, relation, column) }
    return groups
  }

  /// Adds objects that were given the key here and have not been saved.
  private func addPending(
    to groups: inout [Int64: [any PersistentModel]], _ rows: [Int64], _ relation: RelationLayout, _ column: Int
  ) {
    if dirtyMask & relation.bit != 0 {
      let wanted = rows.count > 1 ? Set(rows) : []
      for object in changedObjects(withKey: relation, to: rows) {
        let model = erased(object)
        if model._$header.pointee.status.contains(.deleted) || !isMoved(model, relation) { continue }
        let row = model._$key(relation.property)
        if rows.count == 1 ? rows[0] == row : wanted.contains(row) { groups[row, default: []].append(model) }
      }
    }
    guard !inserted.isEmpty else { return }
    if rows.count == 1, core.relations.unsaved == nil {
      for place in pendingPlaces(of: .integer(rows[0]), column: column) {
        let model = erased(inserted[place])
        if !model._$header.pointee.status.contains(.deleted) { groups[rows[0], default: []].append(model) }
      }
    } else {
      let wanted = Set(rows)
      for object in insertedObjects(withKey: relation, column, to: rows) {
        let model = erased(object)
        let row = model._$key(relation.property)
        if row > 0, wanted.contains(row), !model._$header.pointee.status.contains(.deleted) {
          groups[row, default: []].append(model)
        }
      }
    }
  }

  /// The objects that a link table joins to the rows, by the row.
  func loadLinked(_ rows: [Int64], _ table: LinkTable, isSource: Bool) throws -> [Int64: [any PersistentModel]] {
    let pairs = try session.linkedRows(of: rows, table, isSource: isSource)
    let missing = Set(pairs.map(\.other)).filter { find($0) == nil }
    // Those that are found must stay until they are in a group.
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

  private func loadErased<Model: PersistentModel>(
    _ query: Query, _ type: Model.Type, _ bind: (Statement) -> Void
  ) throws -> [any PersistentModel] { _$erased(try load(query, type, bind)) }

  func load<Model: PersistentModel>(
    _ query: Query, _ type: Model.Type, _ bind: (Statement) -> Void
  ) throws -> [Model] {
    let what = "reading \(layout.entityName)"
    core.beginQuiet()
    defer {
      core.endQuiet()
      core.announce()
    }
    let models = try StoreError.wrapping(store.errorURL, what) {
      try session.read { connection in
        let statement = try query.statement(on: connection)
        defer {
          statement.reset()
          statement.checkIn()
        }
        bind(statement)
        return try ModelArray.collect(type) { try Model._$load(StoredRows(statement, of: statements), self, into: $0) }
      }
    }
    if hasDeletions {
      for model in models {
        let state = own(model)
        if state.deletedRows.contains(model._$header.pointee.rowID) { state.markDeleted(model) }
      }
    }
    return models
  }
}

extension StoreSession {
  /// The pairs of a link table with one of the rows, in the order of the side that they belong to.
  func linkedRows(of rows: [Int64], _ table: LinkTable, isSource: Bool) throws -> [(row: Int64, other: Int64)] {
    let own = isSource ? LinkTable.sourceColumn : LinkTable.targetColumn
    let other = isSource ? LinkTable.targetColumn : LinkTable.sourceColumn
    let order = isSource ? LinkTable.sourceOrder : table.isOrderedByTarget ? LinkTable.targetOrder : other
    let sql =
      "SELECT \(own), \(other) FROM \(StoreFormat.quoted(table.name)) "
      + "WHERE \(own) IN (SELECT value FROM larder_values(?1)) ORDER BY \(own), \(order), \(other)"
    return try StoreError.wrapping(store.errorURL, "reading \(table.name)") {
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
