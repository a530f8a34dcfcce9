import LarderSupport

/// What a step looks at: what may have become another since the last one, or all that is pending.
struct StepScope {
  /// What it looks at of one model.
  struct Part {
    let state: EntityState
    var inserted: [any PersistentModel] = []
    var changed: [any PersistentModel] = []
    /// Deleted since the last step.
    var deleted: [Int64] = []
  }

  private(set) var parts: [Part] = []
  /// Deletions that the last step told of, and that are taken back.
  private(set) var returned: [RowPlace: EntityState] = [:]
  /// The places that the last step told of and that may be pending no more.
  private(set) var places: Set<RowPlace> = []

  /// All rows that it looks at, but for objects that are pending.
  var allPlaces: Set<RowPlace> {
    parts.reduce(into: places.union(returned.keys)) { all, part in
      for row in part.deleted { all.insert(RowPlace(part.state, row)) }
    }
  }

  /// - Parameter isWhole: Whether it looks at all that is pending.
  init(_ recorder: UndoRecorder, isWhole: Bool) {
    if isWhole { lookAtAll(recorder) } else { lookAtTouched(recorder) }
  }

  // MARK: All

  private mutating func lookAtAll(_ recorder: UndoRecorder) {
    for state in recorder.core.known {
      var part = Part(state: state)
      part.inserted = state.inserted.map(state.erased)
      part.changed = state.changed.map(state.erased)
      part.deleted = state.deletedRows.filter { recorder.deletions[RowPlace(state, $0)] == nil }.inOrder()
      parts.append(part)
    }
    for (place, state) in recorder.deletions where !state.deletedRows.contains(place.row) { returned[place] = state }
    places = Set(recorder.images.keys)
  }

  // MARK: What was touched

  private mutating func lookAtTouched(_ recorder: UndoRecorder) {
    let touched = recorder.touched
    var numbers: [ObjectIdentifier: Int] = [:]
    for (number, state) in recorder.core.known.enumerated() {
      numbers[ObjectIdentifier(state)] = number
      var part = Part(state: state)
      part.inserted = StepScope.newInserts(state, recorder)
      part.changed = StepScope.newEdits(state, recorder)
      parts.append(part)
    }
    for (place, state) in touched.states {
      places.insert(place)
      guard let number = numbers[ObjectIdentifier(state)] else { continue }
      let isDeleted = state.deletedRows.contains(place.row)
      if isDeleted != (recorder.deletions[place] != nil) {
        if isDeleted { parts[number].deleted.append(place.row) } else { returned[place] = state }
      }
      guard let object = state.find(place.row) else { continue }
      let model = state.erased(object)
      let status = model._$header.pointee.status
      if status.contains(.inserted) {
        parts[number].inserted.append(model)
      } else if status.contains(.changed) {
        parts[number].changed.append(model)
      }
    }
    for number in parts.indices { parts[number].sort() }
  }

  /// Those at the end of the list that the last step does not tell of, and that are not named as touched.
  private static func newInserts(_ state: EntityState, _ recorder: UndoRecorder) -> [any PersistentModel] {
    var result: [any PersistentModel] = []
    for object in state.inserted.reversed() {
      let model = state.erased(object)
      let place = RowPlace(state, model._$header.pointee.rowID)
      // It may have left and come again.
      if recorder.touched.contains(place) { continue }
      if recorder.images[place]?.inserted === model { break }
      result.append(model)
    }
    return result
  }

  /// The same of changed objects. Where it is known how far the list was looked through, the rest is new.
  private static func newEdits(_ state: EntityState, _ recorder: UndoRecorder) -> [any PersistentModel] {
    var result: [any PersistentModel] = []
    for object in state.changed[recorder.touched.first(of: state)...].reversed() {
      let model = state.erased(object)
      let place = RowPlace(state, model._$header.pointee.rowID)
      if recorder.touched.contains(place) { continue }
      if recorder.images[place] != nil { break }
      result.append(model)
    }
    return result
  }
}

extension StepScope.Part {
  /// As they stand in the lists of what is pending.
  fileprivate mutating func sort() {
    inserted.sort { $0._$header.pointee.place < $1._$header.pointee.place }
    changed.sort { $0._$header.pointee.place < $1._$header.pointee.place }
    deleted.sort()
  }
}
