public import Foundation
import LarderSQLite
import LarderSupport

extension ModelContext {
  /// Fetches the models that match a descriptor, in its order, pending changes of this context included.
  ///
  /// ```swift
  /// let trips = try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == "Paris" }))
  /// ```
  ///
  /// - Parameter descriptor: The fetch descriptor.
  /// - Throws: ``SwiftDataError/unsupportedPredicate`` or ``SwiftDataError/unsupportedSortDescriptor``, naming the part
  ///   that is not supported; ``FetchError`` if a row, or the arithmetic of the predicate, has no value; ``StoreError`` if the
  ///   store cannot be read.
  @inlinable
  public func fetch<T>(_ descriptor: FetchDescriptor<T>) throws -> [T] where T: PersistentModel {
    if core.hasStorageBackends {
      // Errors in the descriptor are thrown before a data store is asked.
      _ = try FetchRequest(descriptor)
      try core.refreshFromBackend(descriptor)
    }
    var models: [T] = []
    let isWhole = try withUnsafeMutablePointer(to: &models) { address in
      try core.load(FetchRequest(descriptor), into: _ModelArrayPointer(address: UnsafeMutableRawPointer(address)))
    }
    if !isWhole || !descriptor.relationshipKeyPathsForPrefetching.isEmpty {
      try finishFetch(&models, descriptor, isWhole: isWhole)
    }
    return models
  }

  /// Finishes the fetches that need more work. Builds the request anew, so that all other fetches need no copy of theirs.
  @usableFromInline
  @inline(never)
  func finishFetch<T>(_ models: inout [T], _ descriptor: FetchDescriptor<T>, isWhole: Bool) throws
  where T: PersistentModel {
    let request = try FetchRequest(descriptor)
    if !isWhole { models = try PreparedFetch(request, in: core).models(T.self) }
    if !request.prefetchedRelations.isEmpty { try core.prefetch(request, models) }
  }

  /// Returns the number of models that match a descriptor. Creates objects only if pending changes affect the result.
  ///
  /// - Throws: The errors of ``fetch(_:)``.
  public func fetchCount<T>(_ descriptor: FetchDescriptor<T>) throws -> Int where T: PersistentModel {
    if core.hasStorageBackends {
      if let count = try core.backendCount(of: descriptor) { return count }
      try core.refreshFromBackend(descriptor)
    }
    let fetch = try PreparedFetch(FetchRequest(descriptor), in: core)
    if try fetch.isAffectedByPendingChanges() { return try fetch.models(T.self).count }
    return try fetch.run(.count, limit: fetch.request.limit, offset: fetch.request.offset) { statement in
      try statement.step() ? Int(statement.int64(0)) : 0
    }
  }

  /// Fetches the identifiers of the models that match a descriptor. Creates objects only if pending changes affect the result.
  ///
  /// - Throws: The errors of ``fetch(_:)``.
  public func fetchIdentifiers<T>(_ descriptor: FetchDescriptor<T>) throws -> [PersistentIdentifier]
  where T: PersistentModel {
    if core.hasStorageBackends {
      if let found = try core.backendIdentifiers(of: descriptor) { return found }
      try core.refreshFromBackend(descriptor)
    }
    let fetch = try PreparedFetch(FetchRequest(descriptor), in: core)
    if try fetch.isAffectedByPendingChanges() { return try fetch.models(T.self).map(\.persistentModelID) }
    let tracker = fetch.tracker
    if tracker.statements.classes != nil { return try fetchPolymorphicIdentifiers(fetch) }
    let identity = tracker.identity
    return try fetch.run(.identifiers, limit: fetch.request.limit, offset: fetch.request.offset) { statement in
      var result: [PersistentIdentifier] = []
      while try statement.step() {
        result.append(PersistentIdentifier(identity: identity, key: statement.int64(0), isSaved: true))
      }
      return result
    }
  }

  /// Calls the block with each model that matches a descriptor, in its order, with at most `batchSize` of them in memory at a
  /// time.
  ///
  /// The set of models is fixed at the call, and their row IDs, eight bytes each, are kept; the values are read with their
  /// batch, by one statement. Models that the block or another context deletes meanwhile are skipped.
  ///
  /// ```swift
  /// try context.enumerate(FetchDescriptor<Trip>()) { trip in
  ///   print(trip.name)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - fetch: The fetch descriptor.
  ///   - batchSize: The number of models to load at a time, and the interval at which pending edits are checked.
  ///   - allowEscapingMutations: Whether the block may leave edited models behind. If not, an edit that is still
  ///     pending at the end of a batch is an error, since edited models cannot be released.
  ///   - block: A closure that receives each model.
  /// - Throws: The errors of ``fetch(_:)``, the error of the block, and ``SwiftDataError/modelValidationFailure`` for edits
  ///   that the block left behind.
  public func enumerate<T>(
    _ fetch: FetchDescriptor<T>, batchSize: Int = 5000, allowEscapingMutations: Bool = false,
    block: (_ model: T) throws -> Void
  ) throws where T: PersistentModel {
    let hadChanges = hasChanges
    let rows = try core.fetchRows(fetch)
    let size = max(1, batchSize)
    for start in stride(from: 0, to: rows.count, by: size) {
      try enumerateBatch(rows[start..<min(start + size, rows.count)], block)
      // In a transaction a save is deferred to its end.
      if !allowEscapingMutations, !hadChanges, hasChanges, !core.transactionState.isSaveDeferred {
        throw SwiftDataError.modelValidationFailure.explained(
          "enumerate's block left edited models behind, which cannot be let go. Save in the block, or pass "
            + "allowEscapingMutations: true.")
      }
    }
  }

  /// Enumerates one batch. A separate function, so that a batch is released before the next one is loaded.
  private func enumerateBatch<T: PersistentModel>(_ rows: ArraySlice<Int64>, _ block: (T) throws -> Void) throws {
    var models = try core.loadModels(rows, as: T.self)
    for row in rows {
      guard let model = models.removeValue(forKey: row) else { continue }
      let header = model._$header
      // The model was deleted since the batch was loaded, or inserted and rolled back.
      if header.pointee.tracker == nil || header.pointee.status.contains(.deleted) { continue }
      try block(model)
    }
  }

  /// Marks all matching models as deleted, loaded or not; the next save removes the rows.
  ///
  /// The matching rows are determined at the call, pending changes included. A ``DataStoreBatching`` store determines them itself
  /// at the save, if the save contains nothing else.
  ///
  /// ```swift
  /// try context.delete(model: Quake.self, where: #Predicate { $0.magnitude < 1 })
  /// ```
  ///
  /// - Parameters:
  ///   - model: The class of the models.
  ///   - predicate: The condition for a deletion; `nil` deletes all.
  ///   - includeSubclasses: Whether models of subclasses are deleted as well.
  /// - Throws: The errors of ``fetch(_:)``; no model is then marked.
  public func delete<T>(
    model: T.Type, where predicate: Predicate<T>? = nil, includeSubclasses: Bool = true
  ) throws where T: PersistentModel {
    let isAlone = core.hasStorageBackends && !hasChanges
    if core.hasStorageBackends { try core.refreshFromBackend(FetchDescriptor(predicate: predicate)) }
    let fetch = try PreparedFetch(FetchRequest(FetchDescriptor(predicate: predicate)), in: core)
    let tracker = fetch.tracker
    defer {
      if isAlone { core.recordBatchDeletion(of: tracker, model, predicate, includeSubclasses: includeSubclasses) }
    }
    if try fetch.isAffectedByPendingChanges() {
      for model in try fetch.models(T.self) where includeSubclasses || tracker.concreteTracker(model) === tracker {
        tracker.concreteTracker(model).recordExplicitDeletion(of: model._$header.pointee.rowID)
        tracker.concreteTracker(model).delete(model)
      }
      // Inserted, unsaved models are discarded together.
      return core.discardDeletedInserts()
    }
    if tracker.statements.classes != nil {
      let identifiers = try fetchPolymorphicIdentifiers(fetch).filter {
        includeSubclasses || $0.identity.entityLevelIdentity === tracker.identity
      }
      for identifier in identifiers { tracker.recordExplicitDeletion(of: identifier.key) }
      return try tracker.deleteRows(identifiers.map(\.key))
    }
    let rows = try fetch.run(.identifiers, limit: nil, offset: 0) { statement in
      var rows: [Int64] = []
      while try statement.step() { rows.append(statement.int64(0)) }
      return rows
    }
    for row in rows {
      tracker.recordExplicitDeletion(of: row)
      tracker.deleteRow(row, T.self)
    }
  }

  /// Returns the identifiers of rows of several classes.
  private func fetchPolymorphicIdentifiers(_ fetch: PreparedFetch) throws -> [PersistentIdentifier] {
    try fetch.run(.identifiers, limit: fetch.request.limit, offset: fetch.request.offset) { statement in
      var result: [PersistentIdentifier] = []
      while try statement.step() {
        let identity = fetch.tracker.identity(of: statement, column: 1)
        result.append(PersistentIdentifier(identity: identity, key: statement.int64(0), isSaved: true))
      }
      return result
    }
  }
}

extension _EntityTracker {
  /// Marks the instances as deleted that were loaded after their rows were marked.
  func markDeletedInstances() {
    for tracker in family { for row in tracker.deletedRows { tracker.deleteRow(row, tracker.layout.type) } }
  }

  /// Marks rows, and their instances if any, as deleted.
  func deleteRows(_ rows: [Int64]) throws {
    for group in try groupedByClass(rows) {
      // Growing step by step would hash each row several times.
      group.tracker.deletedRows.reserveCapacity(group.tracker.deletedRows.count + group.rows.count)
      for row in group.rows { group.tracker.deleteRow(row, group.tracker.layout.type) }
    }
  }

  func deleteRow<Model: PersistentModel>(_ row: Int64, _ type: Model.Type) {
    if let known = find(row) {
      delete(unsafeDowncast(known, to: Model.self))
    } else {
      core.willChange()
      core.markRowChanged(row, self)
      if deletedRows.insert(row).inserted { schedulePropagation(of: row) }
    }
  }
}
