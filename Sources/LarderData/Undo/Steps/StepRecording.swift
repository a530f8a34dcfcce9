import LarderSupport

extension UndoRecorder {
  /// Ends a step.
  ///
  /// - Returns: The step that reverts the changes since the last one; `nil` if it could not be determined.
  func recordStep() -> UndoStep? {
    guard let recording = prepareStep() else {
      // The next step examines all pending rows.
      touchedRows.touchAll()
      return nil
    }
    stepCount += 1
    finish(recording)
    return recording.step
  }

  private func finish(_ recording: StepRecording) {
    // See ``LifetimeGuard``.
    var held: [UndoImage] = []
    for (place, image) in recording.newImages {
      if let former = images.updateValue(image, forKey: place) { held.append(former) }
    }
    for place in recording.scope.rowKeys where recording.newImages[place] == nil {
      if let former = images.removeValue(forKey: place) { held.append(former) }
    }
    for part in recording.scope.entityScopes {
      for row in part.deleted { recordedDeletions[RowKey(part.tracker, row)] = part.tracker }
    }
    for place in recording.scope.restoredRows.keys { recordedDeletions[place] = nil }
    touchedRows.endStep()
    recording.observeObjects()
    lastRowKeys = recording.scope.rowKeys.union(recording.newImages.keys)
    withExtendedLifetime(held) {}
  }

  /// Returns the step that reverts the changes since the last one; `nil` if it could not be determined.
  func prepareStep() -> StepRecording? {
    do {
      try core.propagateDeletions()
      touchedRows.beginStep(core)
      var recording = StepRecording(self, StepScope(self, includesAllPending: touchedRows.includesAll))
      try recording.recordAll()
      #if DEBUG
        if !touchedRows.includesAll { try _checkCompleteness(of: recording) }
      #endif
      return recording
    } catch {
      Log.warning("What changed cannot be taken back, since it could not be compared with what was before. \(error)")
      return nil
    }
  }
}

/// A comparison of pending rows with their state at the end of the last step, as far as they may have changed since.
struct StepRecording {
  private let recorder: UndoRecorder
  private var core: _ContextCore { recorder.core }
  let scope: StepScope
  private(set) var newImages: [RowKey: UndoImage] = [:]
  private var changes: [ObjectChange] = []
  var step: UndoStep { UndoStep(changes: changes.filter { !$0.isEmpty }) }
  private var indexes: [RowKey: Int] = [:]
  private var previousLists: PreviousLists
  /// The indexes of the changes of objects that the step inserted.
  private var insertionIndexes: [ObjectIdentifier: Int] = [:]
  /// The lists of other objects that contained the objects of the step.
  private var neighbourLists = NeighbourLists()

  init(_ recorder: UndoRecorder, _ scope: StepScope) {
    self.recorder = recorder
    self.scope = scope
    previousLists = PreviousLists(recorder)
  }

  mutating func recordAll() throws {
    let gone = try loadDeletedObjects()
    core.comparedObjectCount += gone.count
    try previousLists.load(gone, scope)
    for part in scope.entityScopes {
      core.comparedObjectCount += part.inserted.count + part.changed.count
      for model in part.inserted { try record(inserted: model, part.tracker) }
      for model in part.changed { record(changed: model, part.tracker) }
    }
    for (model, tracker) in gone { try record(deleted: model, tracker) }
    recordDiscardedInserts()
    for (place, tracker) in scope.restoredRows { updateChange(tracker, place.row) { $0.existed = false } }
    try neighbourLists.addMissingLists(recorder, &changes, indexes)
  }

  /// Makes the recorded objects report themselves when they change again.
  func observeObjects() {
    for part in scope.entityScopes {
      for model in part.inserted + part.changed
      where newImages[RowKey(part.tracker, model._$header.pointee.rowID)] != nil {
        model._$trackEveryChange()
      }
    }
  }

  /// Updates the change of a row, which is created if there is none.
  private mutating func updateChange(_ tracker: _EntityTracker, _ row: Int64, _ body: (inout ObjectChange) -> Void) {
    let place = RowKey(tracker, row)
    let index = indexes[place] ?? changes.count
    if index == changes.count {
      indexes[place] = index
      changes.append(ObjectChange(tracker, row, saveCount: recorder.saveCount))
    }
    body(&changes[index])
  }

  // MARK: Deletions

  /// Loads the objects that were deleted since the last step.
  private mutating func loadDeletedObjects() throws -> [(model: any PersistentModel, tracker: _EntityTracker)] {
    // Objects in memory are loaded, too: their changes by other contexts have to return with them. Objects that other contexts
    // deleted are not in the store, and stay deleted.
    try scope.entityScopes.flatMap { part in
      try part.tracker.loadRows(part.deleted).map { ($0, part.tracker.concreteTracker($0)) }
    }
  }

  private mutating func record(deleted model: any PersistentModel, _ tracker: _EntityTracker) throws {
    let row = model._$header.pointee.rowID
    let place = RowKey(tracker, row)
    let changed = model._$header.pointee.changedMask
    let isChanged = model._$header.pointee.status.contains(.changed)
    let image = recorder.images[place]
    let current = ObjectColumns.current(model, tracker.layout)
    let former = ObjectColumns.original(current, of: model, tracker, image)
    var edited = Set(boxedValuesBefore(model, tracker, image, among: changed, includesUnchanged: false).keys)
    for property in tracker.layout.properties {
      let isEdited = isChanged && changed & property.bit != 0
      if isEdited || former[property.columns] != current[property.columns] { edited.insert(property.index) }
    }
    let lists = try previousLists.lists(of: model, tracker)
    for (property, list) in lists {
      if let relationship = tracker.layout.relationship(property) {
        neighbourLists.record(list.before, relationship, of: row)
      }
    }
    let held = boxedValuesBefore(model, tracker, image, among: changed, includesUnchanged: true)
    let keys = ObjectColumns.foreignKeys(former, tracker.layout)
    neighbourLists.record(keys, tracker.layout, of: row)
    for incoming in core.container.incomingRelations(of: tracker.layout) { neighbourLists.record(incoming, to: row) }
    updateChange(tracker, row) { change in
      change.exists = false
      change.instance = model
      change.version = model._$header.pointee.version
      change.editedProperties = edited
      change.columns = ObjectColumns.attributes(former, tracker.layout)
      change.foreignKeys = keys
      change.lists = lists
      change.boxedValues = held
    }
  }

  /// Records objects that left the context without having been saved.
  private mutating func recordDiscardedInserts() {
    for place in scope.rowKeys {
      // An object that is still in the context has another row ID: another process's row turned up with its former one.
      guard let image = recorder.images[place], let model = image.inserted, newImages[place] == nil,
        model._$header.pointee.tracker?.core !== core,
        let tracker = core.tracker(of: model)
      else { continue }
      let keys = ObjectColumns.foreignKeys(image.values, tracker.layout)
      neighbourLists.record(keys, tracker.layout, of: place.row)
      for relationship in tracker.layout.relationships where relationship.isToMany {
        neighbourLists.record(image.lists[relationship.property] ?? [], relationship, of: place.row)
      }
      updateChange(tracker, place.row) { change in
        change.exists = false
        change.instance = model
        change.version = model._$header.pointee.version
        change.columns = ObjectColumns.attributes(image.values, tracker.layout)
        change.foreignKeys = keys
        change.boxedValues = image.boxedValues
        change.lists = image.lists.mapValues { ObjectChange.List(before: $0, after: []) }
      }
    }
  }

  // MARK: Inserts

  /// Excludes an insert that was resolved to an existing row.
  ///
  /// - Returns: Whether the insert belongs to this step.
  mutating func discardInsert(of object: AnyObject) -> Bool {
    guard let index = insertionIndexes[ObjectIdentifier(object)] else { return false }
    changes[index].existed = true
    return true
  }

  private mutating func record(inserted model: any PersistentModel, _ tracker: _EntityTracker) throws {
    let row = model._$header.pointee.rowID
    let place = RowKey(tracker, row)
    var image = UndoImage(values: ObjectColumns.current(model, tracker.layout), mask: ~0, inserted: model)
    for relationship in tracker.layout.relationships where relationship.isToMany {
      guard case .many(let members) = model._$relationshipValue(relationship.property) else { continue }
      image.lists[relationship.property] = (members ?? []).map { $0._$header.pointee.rowID }
    }
    for property in tracker.layout.outOfRowProperties {
      if case .boxed(let value?) = model._$relationshipValue(property.index) {
        image.boxedValues[property.index] = ObjectColumns.copyIfMutable(value, property, tracker.layout)
      }
    }
    newImages[place] = image
    guard let former = recorder.images[place], former.inserted != nil else {
      updateChange(tracker, row) { $0.existed = false }
      insertionIndexes[ObjectIdentifier(model)] = indexes[place]
      return
    }
    compare(tracker, row, former.values, image.values, among: ~0)
    for (property, before) in former.boxedValues {
      let codec = tracker.layout.properties[property].codec
      if let now = image.boxedValues[property], codec.isSame(boxed: before, now) { continue }
      updateChange(tracker, row) { $0.boxedValues[property] = before }
    }
    for (property, after) in image.lists {
      recordList(tracker, row, property, before: former.lists[property] ?? [], after: after)
    }
  }

  // MARK: Edits

  private mutating func record(changed model: any PersistentModel, _ tracker: _EntityTracker) {
    let header = model._$header
    guard header.pointee.status.isSuperset(of: [.stored, .changed]), !header.pointee.status.contains(.deleted) else {
      return
    }
    let row = header.pointee.rowID
    let place = RowKey(tracker, row)
    let mask = header.pointee.changedMask
    var image = UndoImage(values: ObjectColumns.current(model, tracker.layout), mask: mask)
    for relationship in tracker.layout.relationships where relationship.isToMany && mask & relationship.bit != 0 {
      guard tracker.originalRelationships[RelationshipKey(model, relationship.property)] != nil,
        case .many(let members?) = model._$relationshipValue(relationship.property)
      else { continue }
      image.lists[relationship.property] = members.map { $0._$header.pointee.rowID }
    }
    for property in tracker.layout.outOfRowProperties {
      if case .boxed(let value?) = model._$relationshipValue(property.index) {
        image.boxedValues[property.index] = ObjectColumns.copyIfMutable(value, property, tracker.layout)
      }
    }
    newImages[place] = image
    // A restored object is as it was.
    if scope.restoredRows[place] != nil { return }
    let before = recorder.images[place]
    let former = ObjectColumns.original(image.values, of: model, tracker, before)
    compare(tracker, row, former, image.values, among: mask)
    let held = boxedValuesBefore(model, tracker, before, among: mask, includesUnchanged: false)
    if !held.isEmpty { updateChange(tracker, row) { $0.boxedValues = held } }
    for (property, after) in image.lists {
      let known = previousLists[RelationshipKey(model, property)]
      let stored = tracker.layout.relationship(property)?.usesJoinTable == true ? known : nil
      recordList(
        tracker, row, property, before: before?.lists[property] ?? known ?? after, after: after, stored: stored)
    }
  }

  private mutating func compare(
    _ tracker: _EntityTracker, _ row: Int64, _ before: [_StoredValue], _ after: [_StoredValue],
    among mask: _PropertyMask
  ) {
    var keys: [Int: Int64] = [:]
    for property in tracker.layout.properties where mask & property.bit != 0 && !property.columns.isEmpty {
      let columns = property.columns
      if before[columns] == after[columns] { continue }
      if property.relationship == nil {
        updateChange(tracker, row) { $0.columns[property.index] = Array(before[columns]) }
      } else {
        keys[property.index] = ObjectColumns.foreignKey(before[columns.lowerBound])
      }
    }
    if keys.isEmpty { return }
    neighbourLists.record(keys, tracker.layout, of: row)
    updateChange(tracker, row) { $0.foreignKeys = keys }
  }

  private mutating func recordList(
    _ tracker: _EntityTracker, _ row: Int64, _ property: Int, before: [Int64], after: [Int64], stored: [Int64]? = nil
  ) {
    if before == after { return }
    updateChange(tracker, row) { $0.lists[property] = ObjectChange.List(before: before, after: after, stored: stored) }
  }

  // MARK: Values outside of the row

  /// Returns the former values outside of the row.
  ///
  /// - Parameter all: Whether to include values that did not change.
  private func boxedValuesBefore(
    _ model: any PersistentModel, _ tracker: _EntityTracker, _ image: UndoImage?, among mask: _PropertyMask,
    includesUnchanged all: Bool
  ) -> [Int: AnyObject] {
    var result: [Int: AnyObject] = [:]
    for property in tracker.layout.outOfRowProperties {
      guard case .boxed(let now) = model._$relationshipValue(property.index) else { continue }
      let noted = tracker.originalRelationships[RelationshipKey(model, property.index)]
      let isChanged = mask & property.bit != 0 && noted != nil
      guard all || isChanged else { continue }
      var before = image.flatMap { $0.mask & property.bit != 0 ? $0.boxedValues[property.index] : nil }
      if before == nil, isChanged, case .boxed(let value?)? = noted?.value { before = value }
      if before == nil, !isChanged { before = now }
      if before == nil, property.placement.external != nil {
        before = ObjectColumns.loadStored(model, property)
        // An undo that sets this value is then recognized as a reversal to the original one.
        if let before, isChanged {
          tracker.originalRelationships[RelationshipKey(model, property.index)]?.value = .boxed(before)
        }
      }
      guard let before else { continue }
      if !all, let now, property.codec.isSame(boxed: before, now) { continue }
      result[property.index] = before
    }
    return result
  }
}

extension _ContextCore {
  /// Returns the tracker of an object's class, also for an object that has left.
  fileprivate func tracker(of model: any PersistentModel) -> _EntityTracker? {
    try? tracker(for: type(of: model)._$layout)
  }
}
