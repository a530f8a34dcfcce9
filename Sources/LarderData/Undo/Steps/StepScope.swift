import LarderSupport

/// The rows that a step examines: those that may have changed since the last step, or all pending ones.
struct StepScope {
  /// The rows to examine of one model.
  struct EntityScope {
    let tracker: _EntityTracker
    var inserted: [any PersistentModel] = []
    var changed: [any PersistentModel] = []
    /// The rows that were deleted since the last step.
    var deleted: [Int64] = []
  }

  private(set) var entityScopes: [EntityScope] = []
  /// Deletions that the last step recorded, and that have been reverted.
  private(set) var restoredRows: [RowKey: _EntityTracker] = [:]
  /// The rows that the last step recorded, and that may no longer be pending.
  private(set) var rowKeys: Set<RowKey> = []

  /// All rows to examine, apart from pending objects.
  var allRowKeys: Set<RowKey> {
    entityScopes.reduce(into: rowKeys.union(restoredRows.keys)) { all, part in
      for row in part.deleted { all.insert(RowKey(part.tracker, row)) }
    }
  }

  /// - Parameter isWhole: Whether to examine all pending rows.
  init(_ recorder: UndoRecorder, includesAllPending isWhole: Bool) {
    if isWhole { addAllPending(recorder) } else { addTouched(recorder) }
  }

  // MARK: All pending rows

  private mutating func addAllPending(_ recorder: UndoRecorder) {
    for tracker in recorder.core.trackers {
      var part = EntityScope(tracker: tracker)
      part.inserted = tracker.inserted.map(tracker.erased)
      part.changed = tracker.changed.map(tracker.erased)
      part.deleted = tracker.deletedRows.filter { recorder.recordedDeletions[RowKey(tracker, $0)] == nil }.inOrder()
      entityScopes.append(part)
    }
    for (place, tracker) in recorder.recordedDeletions where !tracker.deletedRows.contains(place.row) {
      restoredRows[place] = tracker
    }
    rowKeys = Set(recorder.images.keys)
  }

  // MARK: Touched rows

  private mutating func addTouched(_ recorder: UndoRecorder) {
    let touched = recorder.touchedRows
    var numbers: [ObjectIdentifier: Int] = [:]
    for (number, tracker) in recorder.core.trackers.enumerated() {
      numbers[ObjectIdentifier(tracker)] = number
      var part = EntityScope(tracker: tracker)
      part.inserted = StepScope.newInserts(tracker, recorder)
      part.changed = StepScope.newEdits(tracker, recorder)
      entityScopes.append(part)
    }
    for (place, tracker) in touched.trackers {
      rowKeys.insert(place)
      guard let number = numbers[ObjectIdentifier(tracker)] else { continue }
      let isDeleted = tracker.deletedRows.contains(place.row)
      if isDeleted != (recorder.recordedDeletions[place] != nil) {
        if isDeleted { entityScopes[number].deleted.append(place.row) } else { restoredRows[place] = tracker }
      }
      guard let object = tracker.find(place.row) else { continue }
      let model = tracker.erased(object)
      let status = model._$header.pointee.status
      if status.contains(.inserted) {
        entityScopes[number].inserted.append(model)
      } else if status.contains(.changed) {
        entityScopes[number].changed.append(model)
      }
    }
    for number in entityScopes.indices { entityScopes[number].sort() }
  }

  /// Returns the objects at the end of the list that the last step did not record, and that are not registered as touched.
  private static func newInserts(_ tracker: _EntityTracker, _ recorder: UndoRecorder) -> [any PersistentModel] {
    var result: [any PersistentModel] = []
    for object in tracker.inserted.reversed() {
      let model = tracker.erased(object)
      let place = RowKey(tracker, model._$header.pointee.rowID)
      // The object may have left and been inserted again.
      if recorder.touchedRows.contains(place) { continue }
      if recorder.images[place]?.inserted === model { break }
      result.append(model)
    }
    return result
  }

  /// Returns such objects of the changed ones. If it is known how far the list was scanned, the rest is new.
  private static func newEdits(_ tracker: _EntityTracker, _ recorder: UndoRecorder) -> [any PersistentModel] {
    var result: [any PersistentModel] = []
    for object in tracker.changed[recorder.touchedRows.firstUnscannedIndex(of: tracker)...].reversed() {
      let model = tracker.erased(object)
      let place = RowKey(tracker, model._$header.pointee.rowID)
      if recorder.touchedRows.contains(place) { continue }
      if recorder.images[place] != nil { break }
      result.append(model)
    }
    return result
  }
}

extension StepScope.EntityScope {
  /// Sorts the rows in the order of the lists of pending objects.
  fileprivate mutating func sort() {
    inserted.sort { $0._$header.pointee.changedIndex < $1._$header.pointee.changedIndex }
    changed.sort { $0._$header.pointee.changedIndex < $1._$header.pointee.changedIndex }
    deleted.sort()
  }
}
