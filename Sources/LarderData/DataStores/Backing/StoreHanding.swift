import LarderSQLite
import LarderSupport

/// Hands a save to the store behind the rows in memory, inside the transaction that writes these: what the store refuses is
/// not written here either.
final class StoreHanding {
  private let core: ContextCore
  private let session: StoreSession
  private let backing: StoreBacking
  private let connection: Connection
  private let request: BackingRequest
  private let batch: BatchDeletion?
  private var savings: [EntitySaving] = []
  private var relations: RelationSaving?
  /// What the save changed of each model, and the rows beside them that are otherwise as seen from there.
  private var entities: [ChangeSet.Entity] = []
  private var farEnds: [FarEnd] = []
  private let update: BatchWriting?
  private(set) var result = BackingResult()
  /// Whether the store has kept the save.
  private(set) var isHanded = false
  /// Which use of the store the save was.
  private var turn = 0

  /// Before anything is written: what is deleted is still there.
  init(
    _ backing: StoreBacking, _ core: ContextCore, _ session: StoreSession, _ connection: Connection,
    _ update: BatchWriting?
  ) throws {
    self.update = update
    self.core = core
    self.session = session
    self.backing = backing
    self.connection = connection
    request = backing.beginSaving(core.editing)
    let deleted = core.known.filter { $0.session === session && !$0.deletedRows.isEmpty }
    batch =
      backing.deletesBatches && update == nil
      ? core.backed.batch.flatMap { $0.isAll(of: deleted, in: core) ? $0 : nil } : nil
    try FarEnds.forget(on: connection)
    if deleted.isEmpty || batch != nil { return }
    try core.withInternalCore { reading in
      for state in deleted {
        request.delete(try reading.state(for: state.layout).models(of: state.deletedRows.inOrder()))
      }
    }
  }

  /// After the store's rows are written.
  ///
  /// - Parameter asked: What the store was asked for since it is held for this save.
  /// - Throws: ``UnaskedEnds`` where the save would hand over what may be older than what the store has by now.
  func wrote(_ savings: [EntitySaving], _ relations: RelationSaving, _ asked: Set<FarEnd>) throws {
    self.savings = savings
    self.relations = relations
    // What is deleted by a predicate the store takes out of its lists as well as out of its models.
    if batch != nil { return }
    entities = update?.joined(to: savings.map(\.changes)) ?? savings.map(\.changes)
    var written: Set<FarEnd> = []
    var changedAsSeen: [FarEnd] = []
    for entity in entities {
      let layout = entity.layout
      func end(_ row: Int64) -> FarEnd { FarEnd(table: layout.tableName, row: row) }
      written.formUnion(entity.inserted.map(end))
      written.formUnion(entity.updated.map { end($0.row) })
      let own = layout.storedMask
      changedAsSeen += entity.updated.filter { $0.mask & own == 0 }.map { end($0.row) }
    }
    farEnds = try FarEnds.noted(on: connection).filter { !written.contains($0) }
    let doubtful = (farEnds + changedAsSeen).filter { !asked.contains($0) }
    if !doubtful.isEmpty { try refuse(doubtful) }
  }

  /// Has the store asked for rows, as far as they are there.
  private func refuse(_ doubtful: [FarEnd]) throws {
    let identifiers = try core.withInternalCore { reading in
      try byModel(doubtful).flatMap { layout, rows in try reading.state(for: layout).identifiers(of: rows) }
    }
    if !identifiers.isEmpty { throw UnaskedEnds(ends: doubtful, identifiers: identifiers) }
  }

  private func byModel(_ ends: [FarEnd]) -> [(layout: ModelLayout, rows: [Int64])] {
    Dictionary(grouping: ends, by: \.table).inOrder { $0.key < $1.key }.compactMap { table, ends in
      core.container.layout(named: table).map { ($0, ends.map(\.row).inOrder()) }
    }
  }

  /// After everything is written, in all stores.
  func hand() throws {
    turn = backing.turn
    if let batch {
      try batch.carryOut(by: backing, core.editing)
    } else {
      try handModels()
    }
    isHanded = true
  }

  private func handModels() throws {
    try core.withInternalCore { reading in
      for entity in entities {
        let state = try reading.state(for: entity.layout)
        request.insert(try state.models(of: entity.inserted))
        request.update(try state.models(of: entity.updated.map(\.row)))
      }
      for (layout, rows) in byModel(farEnds) { request.update(try reading.state(for: layout).models(of: rows)) }
      if request.isEmpty { return }
      result = try request.save()
    }
    guard let relations else { return }
    for saving in savings where !saving.changes.inserted.isEmpty { try rename(saving, relations) }
    backing.keep(result.remapped.values)
  }

  /// The commit has come: what was deleted needs no name any more.
  func settle(_ changes: ChangeSet) { backing.forget(changes.entities.flatMap(\.deleted)) }

  /// Takes over what the store has otherwise than it was given, once the save is told of.
  func takeOver() {
    if result.reregistered.isEmpty { return }
    do {
      try backing.exclusively {
        // Whoever used the store meanwhile may have made it another thing by now.
        let isLatest = backing.turn == turn + 1
        try core.absorb(from: backing) { absorption in
          if isLatest { return absorption.take(result.reregistered) }
          try absorption.ask(for: result.reregistered.map(\.identifier))
        }
      }
    } catch {
      Log.warning("What the data store \(backing.identifier) has made of a save is read with the next fetch. \(error)")
    }
  }

  // MARK: Identifiers that the store gave

  private func rename(_ saving: EntitySaving, _ relations: RelationSaving) throws {
    let (state, layout) = (saving.state, saving.state.layout)
    for row in saving.changes.inserted {
      let temporary = PersistentIdentifier(identity: state.identity, key: row, isSaved: false)
      guard let given = result.remapped[temporary], given.key != row else { continue }
      guard given.identity.root === state.identity.root else {
        throw SwiftDataError.unknownDataStoreSchema.explained(
          "The data store saved a new \(layout.entityName) as \(given.debugDescription) of the store "
            + "\(given.identity.store ?? "nil"). Remap it to an identifier of its own entity and of the store "
            + "\(backing.identifier). The store may have kept what this save leaves out.")
      }
      if try state.exists(given.key) {
        try unite(row, with: given.key, saving, relations)
      } else {
        try move(row, to: given.key, state)
        try relations.redirect([row: given.key], layout)
        saving.redrawInserted(row, as: given.key)
        update?.redraw(row, as: given.key)
      }
    }
  }

  private func move(_ row: Int64, to new: Int64, _ state: EntityState) throws {
    let id = StoreFormat.identifierColumn
    try run("UPDATE \(state.statements.table) SET \(id) = ?1 WHERE \(id) = ?2", new, row)
    for table in state.layout.propertiesBesideRows.compactMap(\.placement.external) { try run(table.move, new, row) }
  }

  /// The store found that it has what was inserted: the row that it has gets the values.
  private func unite(
    _ row: Int64, with known: Int64, _ saving: EntitySaving, _ relations: RelationSaving
  ) throws {
    let state = saving.state
    guard let object = state.inserted.first(where: { saving.row(of: state.erased($0)) == row }) else { return }
    // Before the row goes, and takes along what refers to it.
    for table in state.layout.propertiesBesideRows.compactMap(\.placement.external) {
      try run(table.delete, known)
      try run(table.move, known, row)
    }
    try relations.redirect([row: known], state.layout)
    try run("DELETE FROM \(state.statements.table) WHERE \(StoreFormat.identifierColumn) = ?1", row)
    try overwrite(known, with: state.erased(object), state)
    let version = try connection.withStatement(for: state.statements.selectVersion) { statement in
      statement.bind(1, known)
      return try statement.step() ? statement.int64(0) : 0
    }
    saving.uniteInserted(object, row, with: known, version: version)
    update?.redraw(row, as: known)
  }

  private func overwrite<Model: PersistentModel>(_ row: Int64, with model: Model, _ state: EntityState) throws {
    try connection.withStatement(for: state.statements.forcedUpdate(~0)) { statement in
      var binder = RowBinder(statement: statement, layout: state.layout)
      model._$bind(&binder, ~0)
      statement.bind(binder.next, row)
      try statement.run()
    }
  }

  private func run(_ sql: String, _ numbers: Int64...) throws {
    try connection.withStatement(for: sql) { statement in
      for (place, number) in numbers.enumerated() { statement.bind(Int32(place + 1), number) }
      try statement.run()
    }
  }
}

extension EntityState {
  /// The objects of rows that are there, in the order of the rows.
  fileprivate func models(of rows: [Int64]) throws -> [any PersistentModel] {
    let found = Dictionary(
      try loadRows(rows).map { ($0._$header.pointee.rowID, $0) }, uniquingKeysWith: { first, _ in first })
    return rows.compactMap { found[$0] }
  }
}
