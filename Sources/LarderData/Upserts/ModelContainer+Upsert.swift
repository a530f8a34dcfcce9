// Larder's own: records become rows without becoming objects.

public import Foundation
import LarderSupport

extension ModelContainer {
  /// Inserts a row for each record whose key is new, and updates those that are there and differ.
  ///
  /// ```swift
  /// let report = try container.upsert(features, into: Quake.self, by: \.code) { quake in
  ///   quake.set(\.code) { $0.id }
  ///   quake.set(\.magnitude) { $0.properties.mag }
  /// }
  /// print(report.inserted, report.updated, report.unchanged)
  /// ```
  ///
  /// **This is a series of saves**, each of a batch that holds others up for 50 milliseconds at most. What fails or is
  /// cancelled leaves whole batches. Rows that hold a record's values are not written, and nobody is told of them; where
  /// nothing changes nothing is written at all. Contexts are told as of any save: what is edited in them follows their
  /// merge policies.
  ///
  /// A record that cannot be stored is left out and is in the report; the others are stored. Of two records with one key
  /// the later one holds.
  ///
  /// - Parameters:
  ///   - records: Read once, some thousands at a time.
  ///   - model: What they become.
  ///   - key: What tells them apart: an attribute that is `.unique`, or those that `#Unique` names together.
  ///   - author: Who makes the changes; see ``ModelContext/author``.
  ///   - removal: What becomes of rows that no record names.
  ///   - progress: Counts records. Cancelling it ends the upsert with a `CancellationError`.
  ///   - mapping: What each property is given; called once.
  /// - Returns: What was done.
  /// - Throws: ``SwiftDataError/modelValidationFailure`` for a mapping that cannot be, ``StoreError``, `CancellationError`;
  ///   ``DataStoreError/unsupportedFeature`` for models in a ``DataStore`` of one's own.
  @discardableResult
  public func upsert<Model: PersistentModel, Records: Sequence>(
    _ records: Records, into model: Model.Type, by key: PartialKeyPath<Model>..., author: String? = nil,
    removing removal: UpsertRemoval<Model> = .none, progress: Progress? = nil,
    mapping: (inout UpsertMapping<Model, Records.Element>) throws -> Void
  ) throws -> UpsertReport {
    try core.upsert(records, into: model, by: key, author, removal, progress, mapping)
  }

  /// As ``upsert(_:into:by:author:removing:progress:mapping:)``, of records that are still coming:
  /// while some are written the next ones are awaited.
  ///
  /// Cancelling the task ends it, too.
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
  /// As the container's, by this context's ``author``: its models in hand show what was saved when it returns. What is
  /// pending here stays pending.
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
  /// An upsert whose records somebody else brings.
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
      // The first ones are seen soon.
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
