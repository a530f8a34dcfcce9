import LarderSQLite
import LarderSupport

// Many rows by their identifiers, in one statement.

extension ContextCore {
  /// The row identifiers of what a descriptor asks for, in its order. Makes no objects unless what is pending matters.
  func rows<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [Int64] {
    if asksStores { try bringUpToDate(descriptor) }
    let fetch = try PreparedFetch(FetchRequest(descriptor), in: self)
    if try fetch.concernsPending() { return try fetch.models(T.self).map { $0._$header.pointee.rowID } }
    return try fetch.run(.identifiers, limit: fetch.request.limit, offset: fetch.request.offset) { statement in
      var rows: [Int64] = []
      while try statement.step() { rows.append(statement.int64(0)) }
      return rows
    }
  }

  /// The models of some rows, by their row: the context's own instances, with what the store has by now.
  ///
  /// Rows that are not there, or whose deletion is pending, are left out. Inserted models are in no row and are found
  /// by their identifiers all the same.
  func load<T: PersistentModel>(_ rows: some Collection<Int64>, as type: T.Type) throws -> [Int64: T] {
    let state = try state(for: T._$layout)
    var found: [Int64: T] = [:]
    found.reserveCapacity(rows.count)
    var stored: [Int64] = []
    stored.reserveCapacity(rows.count)
    // What was inserted when the rows were named may have become another row since.
    var aliases: [Int64: Int64] = [:]
    for given in rows {
      let identifier = PersistentIdentifier.ID(identity: state.identity, key: given)
      let row = state.store.aliases.row(of: identifier, isStored: true) ?? given
      if state.isDeleted(row) { continue }
      if row != given { aliases[given] = row }
      if let known = state.find(row), case let model = unsafeDowncast(known, to: T.self),
        model._$header.pointee.status.contains(.inserted)
      {
        found[row] = model
      } else {
        stored.append(row)
      }
    }
    if !stored.isEmpty {
      for model in try quietly({ try read(stored, state, type) }) { found[model._$header.pointee.rowID] = model }
    }
    for (given, row) in aliases { found[given] = found[row] }
    return found
  }

  /// The models of rows by the numbers that the rows have in the store.
  func load<T: PersistentModel>(stored rows: [Int64], as type: T.Type) throws -> [Int64: T] {
    let state = try state(for: T._$layout)
    let models = try quietly { try read(rows, state, type) }
    return Dictionary(models.map { ($0._$header.pointee.rowID, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Gives the instances of rows the values that the rows have by now.
  ///
  /// - Returns: The objects of those that are there.
  @discardableResult
  func refresh(_ rows: [Int64], _ state: EntityState) throws -> [any PersistentModel] {
    func refresh<T: PersistentModel>(_ type: T.Type) throws -> [any PersistentModel] {
      try quietly { try read(rows, state, type) }.map { $0 }
    }
    return try refresh(state.layout.type)
  }

  private func read<T: PersistentModel>(_ rows: [Int64], _ state: EntityState, _ type: T.Type) throws -> [T] {
    try StoreError.wrapping(state.store.errorURL, "reading \(T._$layout.entityName)") {
      try state.session.read { connection in
        let sql =
          state.statements.selectRows
          + " WHERE \(StoreFormat.identifierColumn) IN (SELECT value FROM larder_values(?1))"
        let statement = try connection.statement(for: sql)
        defer { statement.checkIn() }
        statement.bind(1, BoundValues(rows))
        let rows = StoredRows(statement, of: state.statements)
        return try ModelArray.collect(type) { try T._$load(rows, state, into: $0) }
      }
    }
  }
}
