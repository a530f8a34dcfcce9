// Larder's own: models that are made from records, and become rows by a key.

public import Foundation
import LarderSupport

extension ModelContainer {
  /// Inserts models whose key is new, with what they are related to, and gives rows that are there the models' values.
  ///
  /// ```swift
  /// try container.upsert(features.lazy.map { Quake($0) }, by: \.code)
  /// ```
  ///
  /// It is what a context does with models that are inserted and saved, some at a time, and takes everything that a model may
  /// have: values with `.externalStorage`, relationships of every kind. Where records have attributes and keys alone,
  /// ``upsert(_:into:by:author:removing:progress:mapping:)`` is several times faster.
  ///
  /// A row whose model comes with new objects of what it is related to counts as updated, since it is written before it is
  /// known which rows these are.
  ///
  /// The models are a context's of the upsert's own afterwards, or no context's where another instance is their row's. One that cannot be saved is left out and is in the report.
  ///
  /// - Parameters:
  ///   - models: Models in no context.
  ///   - key: What tells them apart: an attribute that is `.unique`, or those that `#Unique` names together.
  ///   - author: Who makes the changes.
  ///   - progress: Counts models. Cancelling it ends the upsert with a `CancellationError`, and leaves whole batches.
  /// - Throws: ``SwiftDataError/modelValidationFailure`` for a key that is not unique, ``StoreError``, `CancellationError`.
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
    // One for all of them: what several batches are related to is its.
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

/// Some models that are saved together.
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
    // Each knows its place: after the save it is in no context, or another instance is its row's.
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
