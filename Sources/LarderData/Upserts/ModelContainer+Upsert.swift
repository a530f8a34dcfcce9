// Larder's own API: upserts of records without creating objects.

public import Foundation
import LarderSupport

extension ModelContainer {
  /// Inserts a row for each record whose key is new, and updates the existing rows that differ.
  ///
  /// ```swift
  /// let report = try container.upsert(features, into: Quake.self, by: \.code) { quake in
  ///   quake.set(\.code) { $0.id }
  ///   quake.set(\.magnitude) { $0.properties.mag }
  /// }
  /// print(report.inserted, report.updated, report.unchanged)
  /// ```
  ///
  /// **An upsert is a series of saves**, one for each batch. A batch blocks other writers for 50 milliseconds at most. If the
  /// upsert fails or is cancelled, whole batches stay. Rows that already have a record's values are not written, and no observer
  /// is notified of them; a batch without changes writes nothing. Contexts are notified as of any save: their edits follow their
  /// merge policies.
  ///
  /// A record that cannot be stored is left out, and the report contains its error; the others are stored. Of two records with
  /// the same key, the later one applies.
  ///
  /// - Parameters:
  ///   - records: The records. They are read once, some thousands at a time.
  ///   - model: The model of the rows.
  ///   - key: The unique key: an attribute that is `.unique`, or the attributes that `#Unique` names together.
  ///   - author: The author of the changes; see ``ModelContext/author``.
  ///   - removal: The treatment of rows that no record names.
  ///   - progress: A progress that counts records. Cancelling it ends the upsert with a `CancellationError`.
  ///   - mapping: A closure that sets the value of each property. It is called once.
  /// - Returns: The numbers of inserted, updated, unchanged, removed and failed records.
  /// - Throws: ``SwiftDataError/modelValidationFailure`` if the mapping is invalid; ``SaveError`` with the code
  ///   ``SaveError/Code/savingNotAllowed`` for a store that was opened with `allowsSave: false`; ``StoreError``;
  ///   `CancellationError`; ``DataStoreError/unsupportedFeature`` for models in a custom ``DataStore``.
  @discardableResult
  public func upsert<Model: PersistentModel, Records: Sequence>(
    _ records: Records, into model: Model.Type, by key: PartialKeyPath<Model>..., author: String? = nil,
    removing removal: UpsertRemoval<Model> = .none, progress: Progress? = nil,
    mapping: (inout UpsertMapping<Model, Records.Element>) throws -> Void
  ) throws -> UpsertReport {
    try core.upsert(records, into: model, by: key, author, removal, progress, mapping)
  }

  /// Upserts the records of an asynchronous sequence, like ``upsert(_:into:by:author:removing:progress:mapping:)``. While a batch
  /// is written, the next records are awaited.
  ///
  /// ```swift
  /// let report = try await container.upsert(feed.records, into: Quake.self, by: \.code) { quake in
  ///   quake.set(\.code) { $0.id }
  /// }
  /// ```
  ///
  /// Cancelling the task ends the upsert, too.
  ///
  /// - Returns: The numbers of inserted, updated, unchanged, removed and failed records.
  /// - Throws: The errors of the other method, and those of the sequence.
  @discardableResult
  public func upsert<Model: PersistentModel, Records: AsyncSequence>(
    _ records: Records, into model: Model.Type, by key: PartialKeyPath<Model>..., author: String? = nil,
    removing removal: UpsertRemoval<Model> = .none, progress: Progress? = nil,
    isolation: isolated (any Actor)? = #isolation,
    mapping: (inout UpsertMapping<Model, Records.Element>) throws -> Void
  ) async throws -> UpsertReport where Records.Element: Sendable {
    try await core.upsert(records, into: model, by: key, author, removal, progress, isolation, mapping)
  }
}

extension ModelContext {
  /// Upserts records like ``ModelContainer/upsert(_:into:by:author:removing:progress:mapping:)``, with this context's ``author``.
  /// When the call returns, this context's models have the saved values. Pending changes stay pending.
  ///
  /// - Returns: The numbers of inserted, updated, unchanged, removed and failed records.
  /// - Throws: The errors of the container's method; ``SaveError`` with the code ``SaveError/Code/savingNotAllowed`` while the
  ///   context saves, or within a transaction.
  @discardableResult
  public func upsert<Model: PersistentModel, Records: Sequence>(
    _ records: Records, into model: Model.Type, by key: PartialKeyPath<Model>...,
    removing removal: UpsertRemoval<Model> = .none, progress: Progress? = nil,
    mapping: (inout UpsertMapping<Model, Records.Element>) throws -> Void
  ) throws -> UpsertReport {
    guard !core.isSaving else {
      throw SaveError(
        .savingNotAllowed, entityName: Model._$layout.entityName,
        "\(Model._$layout.entityName) cannot be upserted while a save is under way, for an upsert is a save itself. Do so "
          + "after didSave.")
    }
    try core.requireNoTransaction(Model._$layout.entityName, "upserted")
    let report = try core.container.upsert(records, into: model, by: key, author, removal, progress, mapping)
    core.mergeRemoteChangesIfNeeded()
    return report
  }
}

extension ModelContainer {
  /// Creates an upsert to which the caller passes the records.
  package func bulkUpsert<Model: PersistentModel, Record>(
    by key: [PartialKeyPath<Model>], author: String?, recordsKeys notesKeys: Bool,
    _ define: (inout UpsertMapping<Model, Record>) throws -> Void
  ) throws -> BulkUpsert<Model, Record> {
    try core.bulkUpsert(by: key, author: author, recordsKeys: notesKeys, define)
  }
}

extension ContainerCore {
  fileprivate func bulkUpsert<Model: PersistentModel, Record>(
    by key: [PartialKeyPath<Model>], author: String?, recordsKeys notesKeys: Bool,
    _ define: (inout UpsertMapping<Model, Record>) throws -> Void
  ) throws -> BulkUpsert<Model, Record> {
    var mapping = UpsertMapping<Model, Record>()
    try define(&mapping)
    return try BulkUpsert(self, author: author, mapping, by: key, recordsKeys: notesKeys)
  }

  fileprivate func upsert<Model: PersistentModel, Records: Sequence>(
    _ records: Records, into model: Model.Type, by key: [PartialKeyPath<Model>], _ author: String?,
    _ removal: UpsertRemoval<Model>, _ progress: Progress?,
    _ define: (inout UpsertMapping<Model, Records.Element>) throws -> Void
  ) throws -> UpsertReport {
    let upsert = try bulkUpsert(by: key, author: author, recordsKeys: removal.removesAny, define)
    let isCancelled = { progress?.isCancelled == true || Task.isCancelled }
    progress?.totalUnitCount = max(Int64(records.underestimatedCount), progress?.totalUnitCount ?? 0)
    let committed = { (count: Int) -> Void in progress?.completedUnitCount += Int64(count) }
    do {
      if let whole = records as? [Records.Element] {
        try upsert.write(whole, isCancelled, committed: committed)
      } else {
        try upsert.write(batchesOf: records, isCancelled, committed: committed)
      }
    } catch {
      upsert.abandon()
      throw error
    }
    try upsert.finish(removal, isCancelled)
    return upsert.report
  }

  fileprivate func upsert<Model: PersistentModel, Records: AsyncSequence>(
    _ records: Records, into model: Model.Type, by key: [PartialKeyPath<Model>], _ author: String?,
    _ removal: UpsertRemoval<Model>, _ progress: Progress?, _ isolation: isolated (any Actor)?,
    _ define: (inout UpsertMapping<Model, Records.Element>) throws -> Void
  ) async throws -> UpsertReport where Records.Element: Sendable {
    let upsert = try bulkUpsert(by: key, author: author, recordsKeys: removal.removesAny, define)
    let writer = AsyncUpsertWriter(upsert, progress)
    do {
      var batch: [Records.Element] = []
      // The first batch is small, so that its rows appear soon.
      var size = BulkUpsertLimits.initialBatchSize
      var iterator = records.makeAsyncIterator()
      while let record = try await iterator.next(isolation: isolation) {
        batch.append(record)
        guard batch.count == size else { continue }
        try await writer.write(batch)
        batch = []
        size = min(size * 2, BulkUpsertLimits.batchSize)
      }
      try Task.checkCancellation()
      try await writer.write(batch)
      try await writer.finish(removing: removal)
    } catch {
      await writer.abandon()
      throw error
    }
    return upsert.report
  }
}

extension BulkUpsert {
  fileprivate func write(
    batchesOf records: some Sequence<Record>, _ isCancelled: @escaping () -> Bool, committed: (Int) -> Void
  ) throws {
    var batch: [Record] = []
    batch.reserveCapacity(min(BulkUpsertLimits.batchSize, max(1, records.underestimatedCount)))
    for record in records {
      batch.append(record)
      guard batch.count == BulkUpsertLimits.batchSize else { continue }
      try write(batch, isCancelled, committed: committed)
      batch.removeAll(keepingCapacity: true)
    }
    try write(batch, isCancelled, committed: committed)
  }
}

extension UpsertRemoval {
  package var removesAny: Bool {
    if case .none = scope { return false }
    return true
  }
}
