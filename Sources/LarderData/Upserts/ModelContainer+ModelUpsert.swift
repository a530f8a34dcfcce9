// Larder's own API: models created from records, and upserted by a key.

public import Foundation
import LarderSupport

extension ModelContainer {
  /// Inserts the models whose key is new, with their related objects, and updates existing rows with the models' values.
  ///
  /// ```swift
  /// try container.upsert(features.lazy.map { Quake($0) }, by: \.code)
  /// ```
  ///
  /// The upsert inserts and saves the models in a context, batch by batch. So it supports everything that a model may have:
  /// values with `.externalStorage`, and relationships of every kind. If records have attributes and keys only,
  /// ``upsert(_:into:by:author:removing:progress:mapping:)`` is several times faster.
  ///
  /// A row whose model has new related objects counts as updated, since it is written before the rows of these objects are known.
  ///
  /// Afterwards the models belong to a context of the upsert's own, or to no context if another instance represents their row. A
  /// model that cannot be saved is left out, and the report contains its error.
  ///
  /// - Parameters:
  ///   - models: Models that are in no context.
  ///   - key: The unique key: an attribute that is `.unique`, or the attributes that `#Unique` names together.
  ///   - author: The author of the changes; see ``ModelContext/author``.
  ///   - progress: A progress that counts models. Cancelling it ends the upsert with a `CancellationError`; whole batches stay.
  /// - Returns: The numbers of inserted, updated, unchanged and failed models.
  /// - Throws: ``SwiftDataError/modelValidationFailure`` if the key is not unique, ``StoreError``, `CancellationError`.
  @discardableResult
  public func upsert<Model: PersistentModel>(
    _ models: some Sequence<Model>, by key: PartialKeyPath<Model>..., author: String? = nil, progress: Progress? = nil
  ) throws -> UpsertReport {
    let layout = Model._$layout
    let columns = try key.flatMap { Array(try AggregateColumn.find($0, layout, for: .update).columns) }
    guard layout.uniqueGroups.contains(where: { Set($0) == Set(columns) }) else {
      let names = key.map { ReadableKeyPath.text($0, layout) }.joined(separator: ", ")
      throw SwiftDataError.modelValidationFailure.explained(
        "\(layout.entityName) cannot be upserted: \(names) is not unique. Mark it .unique, or name what #Unique names together."
      )
    }
    progress?.totalUnitCount = max(Int64(models.underestimatedCount), progress?.totalUnitCount ?? 0)
    // One context for all batches, since several batches may have the same related objects.
    let context = ModelContext(self)
    context.author = author
    var report = UpsertReport()
    var batch: [Model] = []
    var index = 0
    func flush() throws {
      if progress?.isCancelled == true || Task.isCancelled { throw CancellationError() }
      try ModelBatch(context, batch, firstIndex: index).save(&report)
      index += batch.count
      progress?.completedUnitCount += Int64(batch.count)
      batch.removeAll(keepingCapacity: true)
    }
    for model in models {
      batch.append(model)
      if batch.count == BulkUpsertLimits.modelBatchSize { try flush() }
    }
    if !batch.isEmpty { try flush() }
    return report
  }
}

/// A batch of models that are saved together.
private struct ModelBatch<Model: PersistentModel> {
  private let context: ModelContext
  private let models: [Model]
  private let firstIndex: Int

  init(_ context: ModelContext, _ models: [Model], firstIndex first: Int) {
    self.context = context
    self.models = models
    self.firstIndex = first
  }

  func save(_ report: inout UpsertReport) throws {
    // The index of each model: after the save a model may be in no context, or another instance may represent its row.
    var places = Dictionary(
      models.enumerated().map { (ObjectIdentifier($1), $0) }, uniquingKeysWith: { first, _ in first })
    for model in models {
      context.insert(model)
      if let error = context.pendingError {
        context.pendingError = nil
        report.record(
          UpsertFailure(index: firstIndex + (places.removeValue(forKey: ObjectIdentifier(model)) ?? 0), error: error))
      }
    }
    var changes = ChangeSet()
    context.core.didPublish = { changes = $0 }
    defer { context.core.didPublish = nil }
    while true {
      do {
        try context.save()
        break
      } catch let error as SaveError {
        guard let bad = models.first(where: { $0.persistentModelID == error.identifiers.first }),
          let place = places.removeValue(forKey: ObjectIdentifier(bad))
        else {
          context.rollback()
          throw error
        }
        context.delete(bad)
        report.record(UpsertFailure(index: firstIndex + place, error: error))
      } catch {
        context.rollback()
        throw error
      }
    }
    let concerned = changes.entities.filter { $0.layout.inherits(from: Model._$layout) }
    let new = Set(concerned.flatMap(\.inserted))
    let inserted = new.count
    let updated = Set(concerned.flatMap { $0.updated.map(\.row) }).subtracting(new).count
    report.inserted += inserted
    report.updated += updated
    report.unchanged += max(0, places.count - inserted - updated)
  }
}
