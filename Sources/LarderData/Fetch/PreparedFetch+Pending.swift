import Foundation
import LarderSupport

// Fetches include the context's pending changes. Deleted rows, and rows that no longer match after an edit, are left out.
// Inserted objects, and edited objects that match now, are added in their place.

extension PreparedFetch {
  func models<Model: PersistentModel>(_ type: Model.Type) throws -> [Model] {
    try core.deferringNotifications {
      // All statements read one snapshot: a commit from elsewhere is in the whole result, or not in it at all.
      try StoreError.mapErrors(tracker.store.errorURL, "reading \(Model._$layout.entityName)") {
        try tracker.session.read { _ in try modelsDeferringNotifications(type) }
      }
    }
  }

  private func modelsDeferringNotifications<Model: PersistentModel>(_ type: Model.Type) throws -> [Model] {
    let family = tracker.family
    let isWhole = try !isAffectedByPendingChanges()
    let affected = try affectedRows(isWhole: isWhole)
    // Each pending row removes at most one row from the result.
    let slack = family.reduce(affected.count) { $0 + $1.deletedRows.count + $1.changed.count }
    let sortsAnew = isSortAffectedByRelatedChanges
    let limit =
      sortsAnew ? nil : isWhole ? request.limit : request.limit.flatMap { limitWithSlack($0, request.offset, slack) }
    let front = isWhole || sortsAnew ? nil : try leadingModels(type, slack: slack)
    var models =
      try front
      ?? _ModelArrayPointer.collect(type) { models in
        // The result is sorted below, so the store's order is not needed.
        let fetch = sortsAnew && request.sortsInMemory ? unordered : self
        try fetch.load(limit: limit, offset: isWhole ? request.offset : 0, into: models)
      }
    if isWhole { return models }

    let readMask = readMask
    if isAffectedByEdits || !affected.isEmpty {
      models.removeAll { model in
        let header = model._$header
        return affected.contains(header.pointee.rowID) || header.pointee.status.contains(.deleted)
          || tracker.hasDeletion(of: header.pointee.rowID)
          || (header.pointee.status.contains(.changed) && header.pointee.changedMask & readMask != 0)
      }
    }
    var added: [Model] = []
    var evaluations: [PendingEvaluation<Model>?] = []
    for tracker in family {
      let evaluation = try request.expression.map { try PendingEvaluation<Model>(plan, $0, tracker) }
      evaluations.append(evaluation)
      guard tracker.dirtyMask & readMask != 0 else { continue }
      for object in try pendingEdits(of: tracker) {
        let model = unsafeDowncast(object, to: Model.self)
        let header = model._$header
        if header.pointee.status.contains(.deleted) || header.pointee.changedMask & readMask == 0 { continue }
        if !tracker.root.staleDeletedRows.isEmpty, tracker.root.staleDeletedRows.contains(header.pointee.rowID) {
          continue
        }
        if try evaluation?.matches(model) ?? true { added.append(model) }
      }
    }
    for (tracker, evaluation) in zip(family, evaluations) { added += try pendingInserts(of: tracker, evaluation) }
    if let expression = request.expression, !affected.isEmpty {
      for model in try affectedModels(affected, type, readMask) {
        let evaluation = try PendingEvaluation<Model>(plan, expression, tracker.concreteTracker(model))
        if try evaluation.matches(model) { added.append(model) }
      }
    }
    if !added.isEmpty || sortsAnew { try insert(added, into: &models) }
    if request.offset > 0 { models.removeFirst(min(request.offset, models.count)) }
    if let limit = request.limit, models.count > limit { models.removeLast(models.count - limit) }
    return models
  }

  /// Returns the rows to evaluate in memory, because related objects are pending.
  private func affectedRows(isWhole: Bool) throws -> Set<Int64> {
    guard !isWhole, let plan, isAffectedByRelatedChanges else { return [] }
    return try AffectedRows(core, tracker.layout, plan.related).rows()
  }

  /// Returns the objects of these rows, without those that are evaluated anyway.
  private func affectedModels<Model: PersistentModel>(
    _ rows: Set<Int64>, _ type: Model.Type, _ readMask: _PropertyMask
  ) throws -> [Model] {
    try tracker.loadRows(rows.inOrder()).compactMap { model in
      let header = model._$header
      if header.pointee.status.contains(.deleted) || header.pointee.status.contains(.inserted) { return nil }
      if header.pointee.status.contains(.changed), header.pointee.changedMask & readMask != 0 { return nil }
      return unsafeDowncast(model, to: Model.self)
    }
  }

  /// Returns the sum, or nil where it overflows.
  private func limitWithSlack(_ limit: Int, _ offset: Int, _ slack: Int) -> Int? {
    let (skipped, isTooLarge) = limit.addingReportingOverflow(offset)
    let (sum, isStillTooLarge) = skipped.addingReportingOverflow(slack)
    return isTooLarge || isStillTooLarge ? nil : sum
  }

  /// Returns the edited objects that may match. A hash finds them if the predicate compares a column for equality.
  private func pendingEdits(of tracker: _EntityTracker) throws -> [AnyObject] {
    guard let plan, let expression = request.expression else { return tracker.changed }
    do {
      return try plan.lookupValues(expression).flatMap { tracker.editedObjects(with: $0) } ?? tracker.changed
    } catch let failure as PredicateFailure {
      throw FetchError(failure, entityName: tracker.layout.entityName)
    }
  }

  /// Returns the inserted, unsaved objects that match. A hash finds them if the predicate is an equality.
  private func pendingInserts<Model: PersistentModel>(
    of tracker: _EntityTracker, _ evaluation: PendingEvaluation<Model>?
  ) throws -> [Model] {
    guard let evaluation else { return tracker.inserted.map { unsafeDowncast($0, to: Model.self) } }
    guard let places = try insertedCandidates(tracker) else {
      return try tracker.inserted.compactMap { object in
        let model = unsafeDowncast(object, to: Model.self)
        return try evaluation.matches(model) ? model : nil
      }
    }
    let found = places.map { unsafeDowncast(tracker.inserted[$0], to: Model.self) }
    return plan?.isExactlyEquality == true ? found : try found.filter { try evaluation.matches($0) }
  }

  /// Inserts objects at their place in the sort order; without one, by identifier.
  private func insert<Model: PersistentModel>(_ added: [Model], into models: inout [Model]) throws {
    models += added
    guard let sort = request.sort else {
      models.sort { $0._$header.pointee.rowID < $1._$header.pointee.rowID }
      return
    }
    try sort.sort(&models) { try tracker.sortRank(of: $0, sort) }
  }
}

/// A predicate that is ready to be evaluated on objects.
struct PendingEvaluation<Model: PersistentModel> {
  private let parameters: [ParameterValue]
  private let plan: PredicatePlan
  private let values: ObjectValueReader
  private let entityName: String
  private let related: RelatedObjects?

  init(_ plan: PredicatePlan?, _ expression: any StandardPredicateExpression<Bool>, _ tracker: _EntityTracker) throws {
    guard let plan else { throw SwiftDataError.unsupportedPredicate }
    self.plan = plan
    parameters = try plan.parameterValues(expression)
    values = tracker.objectValues
    entityName = tracker.layout.entityName
    related = plan.related.isEmpty && !plan.residualFollowsRelations ? nil : RelatedObjects(tracker.core, plan.related)
  }

  func matches(_ model: Model) throws -> Bool {
    do {
      if let related {
        related.reset(to: model)
        return try plan.matches(related, parameters: parameters)
      }
      return try plan.matches(
        { $0 < 0 ? .integer(model._$header.pointee.rowID) : try values.value($0, of: model) }, parameters: parameters)
    } catch let failure as PredicateFailure {
      throw FetchError(failure, entityName: entityName)
    }
  }
}
