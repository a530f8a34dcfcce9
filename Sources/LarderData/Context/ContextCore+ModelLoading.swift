import LarderSQLite
import LarderSupport

// Loading many rows by their identifiers with one statement.

extension _ContextCore {
  /// Returns the row IDs of a descriptor's results, in its order. Creates objects only if pending changes affect the result.
  func fetchRows<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [Int64] {
    if hasStorageBackends { try refreshFromBackend(descriptor) }
    let fetch = try PreparedFetch(FetchRequest(descriptor), in: self)
    if try fetch.isAffectedByPendingChanges() { return try fetch.models(T.self).map { $0._$header.pointee.rowID } }
    return try fetch.run(.identifiers, limit: fetch.request.limit, offset: fetch.request.offset) { statement in
      var rows: [Int64] = []
      while try statement.step() { rows.append(statement.int64(0)) }
      return rows
    }
  }

  /// Returns the models of the specified rows, by row ID: the context's own instances, refreshed from the store.
  ///
  /// The result omits rows that do not exist and rows whose deletion is pending. Inserted models have no row yet, and are
  /// found by their identifiers.
  func loadModels<T: PersistentModel>(_ rows: some Collection<Int64>, as type: T.Type) throws -> [Int64: T] {
    let tracker = try tracker(for: T._$layout)
    var found: [Int64: T] = [:]
    found.reserveCapacity(rows.count)
    var stored: [Int64] = []
    stored.reserveCapacity(rows.count)
    // A model that was inserted when the row IDs were read may have another row ID since its save.
    var aliases: [Int64: Int64] = [:]
    for given in rows {
      let identifier = PersistentIdentifier.ID(identity: tracker.identity, key: given)
      let row = tracker.store.aliases.row(of: identifier, isStored: true) ?? given
      if tracker.isDeleted(row) { continue }
      if row != given { aliases[given] = row }
      if let known = tracker.find(row), case let model = unsafeDowncast(known, to: T.self),
        model._$header.pointee.status.contains(.inserted)
      {
        found[row] = model
      } else {
        stored.append(row)
      }
    }
    if !stored.isEmpty {
      for model in try deferringNotifications({ try readModels(stored, tracker, type) }) {
        found[model._$header.pointee.rowID] = model
      }
    }
    for (given, row) in aliases { found[given] = found[row] }
    return found
  }

  /// Returns the models of rows by the row IDs that the rows have in the store.
  func loadModels<T: PersistentModel>(stored rows: [Int64], as type: T.Type) throws -> [Int64: T] {
    let tracker = try tracker(for: T._$layout)
    let models = try deferringNotifications { try readModels(rows, tracker, type) }
    return Dictionary(models.map { ($0._$header.pointee.rowID, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Refreshes the instances of the specified rows with the rows' current values.
  ///
  /// - Returns: The objects of the rows that exist.
  @discardableResult
  func refresh(_ rows: [Int64], _ tracker: _EntityTracker) throws -> [any PersistentModel] {
    func refresh<T: PersistentModel>(_ type: T.Type) throws -> [any PersistentModel] {
      try deferringNotifications { try readModels(rows, tracker, type) }.map { $0 }
    }
    return try refresh(tracker.layout.type)
  }

  private func readModels<T: PersistentModel>(_ rows: [Int64], _ tracker: _EntityTracker, _ type: T.Type) throws -> [T]
  {
    try StoreError.mapErrors(tracker.store.errorURL, "reading \(T._$layout.entityName)") {
      try tracker.session.read { connection in
        let sql =
          tracker.statements.selectRows
          + " WHERE \(StoreFormat.identifierColumn) IN (SELECT value FROM larder_values(?1))"
        let statement = try connection.statement(for: sql)
        defer { statement.checkIn() }
        statement.bind(1, BoundValues(rows))
        let rows = _RowCursor(statement, of: tracker.statements)
        return try _ModelArrayPointer.collect(type) { try T._$load(rows, tracker, into: $0) }
      }
    }
  }
}
