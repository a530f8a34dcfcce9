import LarderSQLite
import LarderSupport

/// A save of the data store behind the cached rows, inside the transaction that writes these rows: if the data store throws, the
/// rows are not written either.
final class SaveDelegation {
  private let core: _ContextCore
  private let session: StoreSession
  private let backend: DataStoreBackend
  private let connection: Connection
  private let request: BackendSaveRequest
  private let batchDeletion: BatchDeletion?
  private var entityWriters: [EntityWriter] = []
  private var relationshipWriter: RelationshipWriter?
  /// The changes of each entity, and the related rows that the save changes only from the other side of the relationship.
  private var entities: [ChangeSet.Entity] = []
  private var relatedRows: [RelatedRow] = []
  private let batchUpdate: BatchUpdateWriter?
  private(set) var result = BackendSaveResult()
  /// Whether the data store has saved.
  private(set) var isSavedByStore = false
  /// The data store's use count during the save.
  private var useCount = 0

  /// Creates the delegation before any row is written, while the deleted rows can still be read.
  init(
    _ backing: DataStoreBackend, _ core: _ContextCore, _ session: StoreSession, _ connection: Connection,
    _ update: BatchUpdateWriter?
  ) throws {
    self.batchUpdate = update
    self.core = core
    self.session = session
    self.backend = backing
    self.connection = connection
    request = backing.beginSaving(core.editingState)
    let deleted = core.trackers.filter { $0.session === session && !$0.deletedRows.isEmpty }
    batchDeletion =
      backing.supportsBatchDeletion && update == nil
      ? core.backendState.batchDeletion.flatMap { $0.coversAll(of: deleted, in: core) ? $0 : nil } : nil
    try RelatedRowTracker.removeAll(on: connection)
    if deleted.isEmpty || batchDeletion != nil { return }
    try core.withInternalCore { reading in
      for tracker in deleted {
        request.delete(try reading.tracker(for: tracker.layout).loadModels(of: tracker.deletedRows.inOrder()))
      }
    }
  }

  /// Collects the related rows after the cached rows are written.
  ///
  /// - Parameter asked: The rows that were fetched from the data store since it was locked for this save.
  /// - Throws: ``StaleRelatedRows`` if the save would pass rows that may be older than those of the data store.
  func prepareRequest(_ entityWriters: [EntityWriter], _ relationships: RelationshipWriter, _ asked: Set<RelatedRow>)
    throws
  {
    self.entityWriters = entityWriters
    self.relationshipWriter = relationships
    // The data store removes models that it deletes by a predicate from its lists, too.
    if batchDeletion != nil { return }
    entities = batchUpdate?.merged(into: entityWriters.map(\.changes)) ?? entityWriters.map(\.changes)
    var written: Set<RelatedRow> = []
    var changedAsSeen: [RelatedRow] = []
    for entity in entities {
      let layout = entity.layout
      func end(_ row: Int64) -> RelatedRow { RelatedRow(table: layout.tableName, row: row) }
      written.formUnion(entity.inserted.map(end))
      written.formUnion(entity.updated.map { end($0.row) })
      let own = layout.storedMask
      changedAsSeen += entity.updated.filter { $0.mask & own == 0 }.map { end($0.row) }
    }
    relatedRows = try RelatedRowTracker.recordedRows(on: connection).filter { !written.contains($0) }
    let doubtful = (relatedRows + changedAsSeen).filter { !asked.contains($0) }
    if !doubtful.isEmpty { try requireFresh(doubtful) }
  }

  /// Throws an error that causes the specified rows to be fetched from the data store, if any of them exist.
  private func requireFresh(_ doubtful: [RelatedRow]) throws {
    let identifiers = try core.withInternalCore { reading in
      try groupedByModel(doubtful).flatMap { layout, rows in try reading.tracker(for: layout).identifiers(of: rows) }
    }
    if !identifiers.isEmpty { throw StaleRelatedRows(rows: doubtful, identifiers: identifiers) }
  }

  private func groupedByModel(_ ends: [RelatedRow]) -> [(layout: _ModelLayout, rows: [Int64])] {
    Dictionary(grouping: ends, by: \.table).inOrder { $0.key < $1.key }.compactMap { table, ends in
      core.container.layout(named: table).map { ($0, ends.map(\.row).inOrder()) }
    }
  }

  /// Saves to the data store, after all rows are written in all stores.
  func save() throws {
    useCount = backend.useCount
    if let batchDeletion {
      try batchDeletion.perform(on: backend, core.editingState)
    } else {
      try saveModels()
    }
    isSavedByStore = true
  }

  private func saveModels() throws {
    try core.withInternalCore { reading in
      for entity in entities {
        let tracker = try reading.tracker(for: entity.layout)
        request.insert(try tracker.loadModels(of: entity.inserted))
        request.update(try tracker.loadModels(of: entity.updated.map(\.row)))
      }
      for (layout, rows) in groupedByModel(relatedRows) {
        request.update(try reading.tracker(for: layout).loadModels(of: rows))
      }
      if request.isEmpty { return }
      result = try request.save()
    }
    guard let relationshipWriter else { return }
    for entityWriter in entityWriters where !entityWriter.changes.inserted.isEmpty {
      try applyRemappedIdentifiers(entityWriter, relationshipWriter)
    }
    backend.retainIdentities(of: result.remapped.values)
  }

  /// Releases the identities of deleted rows after the commit.
  func releaseDeleted(_ changes: ChangeSet) { backend.releaseIdentities(of: changes.entities.flatMap(\.deleted)) }

  /// Imports the values that the data store has saved differently, after observers were notified of the save.
  func importReregistered() {
    if result.reregistered.isEmpty { return }
    do {
      try backend.exclusively {
        // If the data store was used since the save, the returned snapshots may be stale.
        let isLatest = backend.useCount == useCount + 1
        try core.importSnapshots(from: backend) { absorption in
          if isLatest { return absorption.addSnapshots(result.reregistered) }
          try absorption.requestSnapshots(for: result.reregistered.map(\.identifier))
        }
      }
    } catch {
      Log.warning("What the data store \(backend.identifier) has made of a save is read with the next fetch. \(error)")
    }
  }

  // MARK: Remapped identifiers

  private func applyRemappedIdentifiers(_ entityWriter: EntityWriter, _ relationships: RelationshipWriter) throws {
    let (tracker, layout) = (entityWriter.tracker, entityWriter.tracker.layout)
    for row in entityWriter.changes.inserted {
      let temporary = PersistentIdentifier(identity: tracker.identity, key: row, isSaved: false)
      guard let given = result.remapped[temporary], given.key != row else { continue }
      guard given.identity.root === tracker.identity.root else {
        throw SwiftDataError.unknownDataStoreSchema.explained(
          "The data store saved a new \(layout.entityName) as \(given.debugDescription) of the store "
            + "\(given.identity.store ?? "nil"). Remap it to an identifier of its own entity and of the store "
            + "\(backend.identifier). The store may have kept what this save leaves out.")
      }
      if try tracker.exists(given.key) {
        try resolveUpsert(row, with: given.key, entityWriter, relationships)
      } else {
        try renumber(row, to: given.key, tracker)
        try relationships.redirectReferences([row: given.key], layout)
        entityWriter.reassignInsertedRowID(row, as: given.key)
        batchUpdate?.reassignRowID(row, as: given.key)
      }
    }
  }

  private func renumber(_ row: Int64, to new: Int64, _ tracker: _EntityTracker) throws {
    let id = StoreFormat.identifierColumn
    try execute("UPDATE \(tracker.statements.table) SET \(id) = ?1 WHERE \(id) = ?2", new, row)
    for table in tracker.layout.outOfRowProperties.compactMap(\.placement.external) {
      try execute(table.updateRowID, new, row)
    }
  }

  /// Resolves an insert that the data store remapped to an existing row: the existing row receives the inserted values.
  private func resolveUpsert(
    _ row: Int64, with known: Int64, _ entityWriter: EntityWriter, _ relationships: RelationshipWriter
  ) throws {
    let tracker = entityWriter.tracker
    guard let object = tracker.inserted.first(where: { entityWriter.row(of: tracker.erased($0)) == row }) else {
      return
    }
    // Before the inserted row is deleted, which would delete the rows that reference it.
    for table in tracker.layout.outOfRowProperties.compactMap(\.placement.external) {
      try execute(table.delete, known)
      try execute(table.updateRowID, known, row)
    }
    try relationships.redirectReferences([row: known], tracker.layout)
    try execute("DELETE FROM \(tracker.statements.table) WHERE \(StoreFormat.identifierColumn) = ?1", row)
    try overwrite(known, with: tracker.erased(object), tracker)
    let version = try connection.withStatement(for: tracker.statements.selectVersion) { statement in
      statement.bind(1, known)
      return try statement.step() ? statement.int64(0) : 0
    }
    entityWriter.resolveInsertedUpsert(object, row, with: known, version: version)
    batchUpdate?.reassignRowID(row, as: known)
  }

  private func overwrite<Model: PersistentModel>(_ row: Int64, with model: Model, _ tracker: _EntityTracker) throws {
    try connection.withStatement(for: tracker.statements.forcedUpdate(~0)) { statement in
      var binder = _RowBinder(statement: statement, layout: tracker.layout)
      model._$bind(&binder, ~0)
      statement.bind(binder.nextIndex, row)
      try statement.run()
    }
  }

  private func execute(_ sql: String, _ numbers: Int64...) throws {
    try connection.withStatement(for: sql) { statement in
      for (place, number) in numbers.enumerated() { statement.bind(Int32(place + 1), number) }
      try statement.run()
    }
  }
}

extension _EntityTracker {
  /// Returns the objects of the rows that exist, in the order of the rows.
  fileprivate func loadModels(of rows: [Int64]) throws -> [any PersistentModel] {
    let found = Dictionary(
      try loadRows(rows).map { ($0._$header.pointee.rowID, $0) }, uniquingKeysWith: { first, _ in first })
    return rows.compactMap { found[$0] }
  }
}
