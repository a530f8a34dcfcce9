import LarderSupport

// A deletion that is undone in two contexts: each brings the row back, under the number that it had, and there is one such row.
// The insert that is saved last becomes an edit of the row that the other context has saved.

extension ReinsertedRows {
  /// Whether an insert and a stored row bring the same row back. A row that another program has made under that number has a
  /// version from before ``versionStride``.
  static func isSameReinsertion(_ header: UnsafeMutablePointer<_ModelHeader.Fields>, _ version: Int64) -> Bool {
    version >= versionStride && header.pointee.isReinserted
  }
}

extension _EntityTracker {
  /// Makes an object that was to be inserted again the object of its row, which others have inserted again.
  ///
  /// Values and relationships of the object that the row lacks are edits, unless the merge policy lets the stored value win. With ``MergePolicy/error``
  /// the next save says that there are two.
  ///
  /// - Parameter stored: An object in no context, with the present values of the row.
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
      // As an edit of what others have changed since.
      header.pointee.version = version &- 1
      markStale(header.pointee.rowID)
    }
    if !core.hasChanges { core.didClearChanges() }
  }
}

/// What an object has that meets its row.
private struct ReinsertionMerge {
  private let tracker: _EntityTracker
  private var core: _ContextCore { tracker.core }
  private let storeWins: Bool
  private let columns: [_StoredValue]
  private let relationships: [(relationship: RelationshipLayout, value: _RelationshipValue)]
  /// Values beside the row; what is not stored at all stays as it is.
  private let outOfRowValues: [(property: PropertyLayout, value: _RelationshipValue)]
  /// The to-ones that the program has set itself.
  private let explicitlySet: Set<Int>
  /// What the store has in lists of pairs, and at the other end of to-ones of which that has the key.
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

  /// Whether a to-one stays as it is here. One that leads nowhere, and that the program has not set to nil, has lost what it led
  /// to.
  func prefersLocal(_ relationship: RelationshipLayout) -> Bool {
    guard !storeWins, case .one(let key, _)? = relationships.first(where: { $0.relationship === relationship })?.value,
      key != _ToOneKey.notLoaded
    else { return false }
    return key != 0 || explicitlySet.contains(relationship.property)
  }

  /// Gives the object's relationships what the store has, and edits them again.
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
        // What the store has at the other end is merged with it.
        tracker.originalRelationships[RelationshipKey(model, property)]?.mergedGeneration = 0
      case .many(let members):
        tracker.unloadRecordingBase(model, property)
        // As pairs are under every merge policy, those of both are kept.
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

  /// Edits attributes again.
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
