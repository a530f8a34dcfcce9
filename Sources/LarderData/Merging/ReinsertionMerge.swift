import LarderSupport

// Merging a deletion that is undone in two contexts: each inserts the row again, under its former row ID, and there is one such
// row. The insert that is saved last becomes an edit of the row that the other context has saved.

extension ReinsertedRows {
  /// Whether an insert and a stored row are the same reinserted row. A row that another program has inserted under that row ID
  /// has a version below ``versionStride``.
  static func isSameReinsertion(_ header: UnsafeMutablePointer<_ModelHeader.Fields>, _ version: Int64) -> Bool {
    version >= versionStride && header.pointee.isReinserted
  }
}

extension _EntityTracker {
  /// Merges a reinserted object with its row, which another context has inserted again.
  ///
  /// Values and relationships of the object that the row lacks become edits, unless the merge policy lets the stored value win.
  /// Under ``MergePolicy/error`` the next save throws the conflict.
  ///
  /// - Parameter stored: An object with the row's current values, in no context.
  func mergeReinsertion<Model: PersistentModel>(
    _ model: Model, _ stored: Model, _ reader: borrowing _RowReader, _ version: Int64
  ) throws {
    let meeting = try ReinsertionMerge(model, self)
    // See ``LifetimeGuard``.
    defer { withExtendedLifetime(meeting) {} }
    let header = model._$header
    core.markRowChanged(header.pointee.rowID, self)
    inserted.removeInstance(model)
    insertedIndexes.removeAll()
    invalidatePendingIndexes()
    header.pointee.status = .stored
    header.pointee.changedMask = 0
    header.pointee.version = version
    let moves = foreignKeyMoves(of: model, to: stored).filter { !meeting.prefersLocal($0.relationship) }
    model._$assign(reader, ~0)
    meeting.mergeRelationships(model, stored)
    for move in moves { applyMove(move, of: model) }
    meeting.reapplyEdits(model)
    if core.mergePolicy == .error, hasEdits(header) {
      // As for an edit of a row that another context has changed since.
      header.pointee.version = version &- 1
      markStale(header.pointee.rowID)
    }
    if !core.hasChanges { core.didClearChanges() }
  }
}

/// The values and relationships of a reinserted object before it is merged with its row.
private struct ReinsertionMerge {
  private let tracker: _EntityTracker
  private var core: _ContextCore { tracker.core }
  private let storeWins: Bool
  private let columns: [_StoredValue]
  private let relationships: [(relationship: RelationshipLayout, value: _RelationshipValue)]
  /// The values stored outside the row; ephemeral values stay as they are.
  private let outOfRowValues: [(property: PropertyLayout, value: _RelationshipValue)]
  /// The to-ones that the program has set itself.
  private let explicitlySet: Set<Int>
  /// The stored members of many-to-many lists, and the stored rows at the other end of to-ones whose foreign key is there.
  private let storedTargets: [Int: [Int64]]

  init(_ model: any PersistentModel, _ tracker: _EntityTracker) throws {
    let layout = tracker.layout
    let row = model._$header.pointee.rowID
    self.tracker = tracker
    storeWins = tracker.core.mergePolicy == .mergeByPropertyStoreTrump
    columns = ObjectColumns.current(model, layout)
    relationships = layout.relationships.map { ($0, model._$relationshipValue($0.property)) }
    outOfRowValues = layout.outOfRowProperties.filter { !$0.placement.isEphemeral }.map {
      ($0, model._$relationshipValue($0.index))
    }
    explicitlySet = Set(
      layout.relationships.filter { !$0.isToMany && tracker.isSetExplicitly(model, $0) }.map(\.property))
    var others: [Int: [Int64]] = [:]
    for relationship in layout.relationships {
      switch relationship.storage {
      case .joinTable:
        others[relationship.property] = try tracker.core.storedMembers([row], tracker, relationship)[row] ?? []
      case .inverse where !relationship.isToMany:
        others[relationship.property] = try tracker.core.storedReferrers(of: [row], relationship).map(\.target)
      default: break
      }
    }
    self.storedTargets = others
  }

  /// Whether a to-one keeps its local value. A `nil` that the program has not set means that its object was lost, and yields.
  func prefersLocal(_ relationship: RelationshipLayout) -> Bool {
    guard !storeWins, case .one(let key, _)? = relationships.first(where: { $0.relationship === relationship })?.value,
      key != _ToOneKey.notLoaded
    else { return false }
    return key != 0 || explicitlySet.contains(relationship.property)
  }

  /// Sets the object's relationships to the stored values, and applies the local changes as edits.
  func mergeRelationships(_ model: any PersistentModel, _ stored: any PersistentModel) {
    for (relationship, value) in relationships {
      let property = relationship.property
      switch value {
      case .one(let key, _):
        let now: Int64
        if case .foreignKey = relationship.storage {
          now = stored._$foreignKey(property)
          model._$applyChange(property, .foreignKey(now))
        } else {
          now = storedTargets[property]?.first ?? 0
          model._$applyChange(property, .foreignKey(_ToOneKey.notLoaded))
        }
        if !prefersLocal(relationship) || key == now { continue }
        applyEdit(model, relationship) { model._$applyChange(property, .foreignKey(key)) }
        // The stored row at the other end is merged with it.
        tracker.originalRelationships[RelationshipKey(model, property)]?.mergedGeneration = 0
      case .many(let members):
        tracker.unloadRecordingBase(model, property)
        // As for join rows under every merge policy, the additions of both sides are kept.
        guard case .joinTable = relationship.storage, let members else { continue }
        let known = Set(storedTargets[property] ?? [])
        let added = members.filter { !known.contains($0._$header.pointee.rowID) }
        if added.isEmpty { continue }
        applyEdit(model, relationship) {
          for member in added { tracker.recordJoinEdit(model, relationship, added: member) }
        }
        core.recordLoadedJoinList(model, property)
      default: continue
      }
    }
  }

  private func applyEdit(_ model: any PersistentModel, _ relationship: RelationshipLayout, _ change: () -> Void) {
    guard explicitlySet.contains(relationship.property) else {
      return tracker.withMutation(model, relationship, change)
    }
    core.settingExplicitly(model, relationship) { tracker.withMutation(model, relationship, change) }
  }

  /// Applies the local attribute values as edits.
  func reapplyEdits(_ model: any PersistentModel) {
    for (property, _) in outOfRowValues { model._$applyChange(property.index, .boxed(nil)) }
    if storeWins { return }
    ObjectColumns.assign(ObjectColumns.attributes(columns, tracker.layout), to: model, tracker)
    for case (let property, .boxed(let value?)) in outOfRowValues {
      if let now = ObjectColumns.loadStored(model, property), property.codec.isSame(boxed: now, value) { continue }
      tracker.setBoxedValue(model, property.index, to: value)
    }
  }
}
