import LarderSupport

/// The restoration of one object whose deletion is undone: as it was, without the other ends of its relationships.
struct ObjectRestoration {
  private let core: _ContextCore
  private let recorder: UndoRecorder
  private let change: ObjectChange
  private let tracker: _EntityTracker

  init(_ core: _ContextCore, _ recorder: UndoRecorder, _ change: ObjectChange) throws {
    self.core = core
    self.recorder = recorder
    self.change = change
    tracker = try core.tracker(for: change.layout)
  }

  func restore() throws -> any PersistentModel {
    if let object = tracker.find(change.row) {
      let model = tracker.erased(object)
      if model._$header.pointee.status.isSuperset(of: [.stored, .deleted]) {
        return cancelDeletion(model, tracker.concreteTracker(model))
      }
    }
    return reinsert(change.layout.type)
  }

  // MARK: Unsaved deletions

  /// Reverts a deletion that is not saved. Observers are notified when all objects are restored.
  private func cancelDeletion(_ model: any PersistentModel, _ tracker: _EntityTracker) -> any PersistentModel {
    let header = model._$header
    header.pointee.status.remove(.deleted)
    tracker.deletedRows.remove(change.row)
    core.markRowChanged(change.row, tracker)
    tracker.invalidatePendingIndexes()
    for relationship in tracker.layout.relationships {
      switch relationship.storage {
      case .foreignKey:
        let key = change.foreignKeys[relationship.property] ?? 0
        let isOwn = change.mustRestore(relationship.property, model, saveCount: recorder.saveCount)
        if !isOwn || model._$foreignKey(relationship.property) == key { continue }
        tracker.withMutation(model, relationship) { model._$applyChange(relationship.property, .foreignKey(key)) }
      case .inverse:
        // Read again on the next access, with pending changes.
        tracker.withMutation(model, relationship.property) {
          if relationship.isToMany {
            tracker.unloadRecordingBase(model, relationship.property)
          } else {
            model._$applyChange(relationship.property, .foreignKey(_ToOneKey.notLoaded))
          }
        }
      case .joinTable:
        tracker.withMutation(model, relationship) {
          tracker.joinEdits[RelationshipKey(model, relationship.property)] = nil
          tracker.lastReadLists.removeBase(change.row, relationship.property)
          model._$applyChange(relationship.property, .objects([], generation: core.relationMarks.generation))
        }
        core.recordLoadedJoinList(model, relationship.property)
      }
    }
    return model
  }

  // MARK: Saved deletions

  /// Prepares the row to be inserted again, with its former row ID.
  private func reinsert<Model: PersistentModel>(_ type: Model.Type) -> any PersistentModel {
    // The instance that left, unless it is another row in the meantime.
    let former = (change.instance as? Model).flatMap { $0._$header.pointee.tracker == nil ? $0 : nil }
    let model = former ?? makeModel(type)
    let header = model._$header
    core.willChange()
    let place = RowKey(tracker, change.row)
    // The object did not leave, after all.
    core.relationships.requiredDeletedObjects[place] = nil
    header.pointee.previousIdentity = nil
    header.pointee.fetchBatch = nil
    header.pointee.version = core.reinsertedRows.record(model, tracker, previousVersion: change.version)
    header.pointee.status = .inserted
    header.pointee.changedMask = ~0
    tracker.register(change.row, Unmanaged.passUnretained(model).toOpaque(), header)
    header.pointee.changedIndex = Int32(truncatingIfNeeded: tracker.inserted.count)
    tracker.inserted.append(model)
    // As an object of the context, whose observers are notified when all objects are restored.
    if former != nil { ObjectColumns.assign(change.columns, to: model, tracker) }
    for relationship in tracker.layout.relationships {
      tracker.lastReadLists.removeBase(change.row, relationship.property)
      tracker.withMutation(model, relationship.property) {
        model._$applyChange(
          relationship.property,
          relationship.isToMany
            ? .objects([], generation: core.relationMarks.generation)
            : .foreignKey(change.foreignKeys[relationship.property] ?? 0))
      }
    }
    for (property, value) in change.boxedValues {
      tracker.withMutation(model, property) { model._$applyChange(property, .boxed(value)) }
    }
    return model
  }

  private func makeModel<Model: PersistentModel>(_ type: Model.Type) -> Model {
    var values = [_StoredValue](repeating: .null, count: tracker.layout.columns.count)
    for (property, columns) in change.columns {
      values.replaceSubrange(tracker.layout.properties[property].columns, with: columns)
    }
    return Model(_$row: _RowReader(source: _RowSource(values), layout: tracker.layout, problems: _RowProblems()))
  }

  /// Returns whether the object can be restored: from the instance that left, or else from stored forms of all its attributes.
  static func isPossible(_ change: ObjectChange) -> Bool {
    if let object = change.instance, object._$header.pointee.tracker == nil { return true }
    return change.columns.allSatisfy { ObjectColumns.isStorable($1, $0, change.layout) }
  }
}

extension ObjectColumns {
  /// Returns whether columns are the stored form of a value, and not a substitute for a value without one.
  static func isStorable(_ values: [_StoredValue], _ property: Int, _ layout: _ModelLayout) -> Bool {
    let range = layout.properties[property].columns
    return zip(range, values).allSatisfy { $1 != .null || layout.columns[$0].isOptional }
  }

  /// Assigns their former values to attributes.
  static func assign(_ columns: [Int: [_StoredValue]], to model: any PersistentModel, _ tracker: _EntityTracker) {
    let layout = tracker.layout
    let now = current(model, layout)
    var values = now
    var mask: _PropertyMask = 0
    for (property, former) in columns {
      let range = layout.properties[property].columns
      if now[range] == former[...] { continue }
      // A value without a stored form cannot be restored.
      if !isStorable(former, property, layout) { continue }
      values.replaceSubrange(range, with: former)
      mask |= _ModelLayout.bit(property)
    }
    if mask == 0 { return }
    for property in columns.keys where mask & _ModelLayout.bit(property) != 0 {
      if model._$header.pointee.changedMask & _ModelLayout.bit(property) == 0 { model._$recordOriginalValue(property) }
    }
    let places = layout.columns.indices.filter { mask & _ModelLayout.bit(layout.columns[$0].property) != 0 }
    let source = _RowSource(places.map { values[$0] })
    model._$assign(_RowReader(source: source, layout: layout, problems: _RowProblems()), mask)
  }
}
