import LarderSupport

/// Edits that lead to what the store has anyway, as a step leaves them that was taken back: objects are as they were, and
/// count as changed no more. A save would write rows that nobody changed, and give others something to merge.
struct NoOpEditPruning {
  private typealias PrunedEdit = (model: any PersistentModel, tracker: _EntityTracker, mask: _PropertyMask)

  private enum Comparison {
    case unchanged
    case changed
    /// Only the store says it.
    case dependsOnStore(RelationshipLayout, [Int64])
  }

  private let core: _ContextCore
  private let rowKeys: Set<RowKey>
  /// The objects that it looks at.
  private let objects: [(model: any PersistentModel, tracker: _EntityTracker)]
  private var stored: StoredMembers

  /// - Parameters:
  ///   - places: The rows of the step.
  ///   - objects: Those that it has changed.
  init(
    _ core: _ContextCore, rowKeys places: Set<RowKey>,
    among objects: [(model: any PersistentModel, tracker: _EntityTracker)]
  ) {
    self.core = core
    self.rowKeys = places
    self.objects = objects.filter { NoOpEditPruning.isEdited($0.model) }
    core.comparedObjectCount += self.objects.count
    stored = StoredMembers(core)
  }

  /// - Returns: The objects' places, and the properties that are not edited any more.
  mutating func prune() throws -> [(place: RowKey, layout: _ModelLayout, mask: _PropertyMask)] {
    var idle = try findNoOpEdits()
    try addMemberEdits(to: &idle)
    var isLeftBehind = false
    for (model, tracker, mask) in idle {
      if tracker.root.staleRows.contains(model._$header.pointee.rowID) { isLeftBehind = true }
      unloadStale(mask, of: model, tracker)
      tracker.dropEdits(of: model, among: mask)
    }
    for tracker in core.trackers {
      tracker.removeUnchanged()
      tracker.originalValues.compactIfSparse()
    }
    if isLeftBehind {
      // They are brought in step, and with them what their rows tell of others.
      core.scheduleStaleRefresh()
      core.relationMarks.markToManysStale()
    }
    return idle.map { (RowKey($0.tracker, $0.model._$header.pointee.rowID), $0.tracker.layout, $0.mask) }
  }

  // MARK: Finding

  private mutating func findNoOpEdits() throws -> [PrunedEdit] {
    for (model, tracker) in objects where !tracker.originalRelationships.isEmpty {
      for property in tracker.layout.properties {
        guard let former = tracker.originalRelationships[RelationshipKey(model, property.index)],
          case .dependsOnStore(let relationship, _) = compare(former, property)
        else { continue }
        stored.request(relationship, of: model._$header.pointee.rowID, tracker)
      }
    }
    try stored.read()
    var result: [PrunedEdit] = []
    for (model, tracker) in objects where canPrune(model, tracker) {
      let mask = try noOpMask(of: model, tracker)
      if mask != 0 { result.append((model, tracker, mask)) }
    }
    return result
  }

  private static func isEdited(_ model: any PersistentModel) -> Bool {
    let status = model._$header.pointee.status
    return status.isSuperset(of: [.stored, .changed]) && !status.contains(.deleted)
  }

  /// What others have changed as well is not as it is stored: only what the step itself took back ends there.
  private func canPrune(_ model: any PersistentModel, _ tracker: _EntityTracker) -> Bool {
    let row = model._$header.pointee.rowID
    return !tracker.root.staleRows.contains(row) || rowKeys.contains(RowKey(tracker, row))
  }

  private mutating func noOpMask(of model: any PersistentModel, _ tracker: _EntityTracker) throws -> _PropertyMask {
    var mask: _PropertyMask = 0
    var rest = model._$header.pointee.changedMask
    while rest != 0 {
      let bit = rest.first
      rest &= ~bit
      if try isNoOp(bit, of: model, tracker) { mask |= bit }
    }
    return mask
  }

  private mutating func isNoOp(_ bit: _PropertyMask, of model: any PersistentModel, _ tracker: _EntityTracker) throws
    -> Bool
  {
    guard let entry = tracker.originalValues.entry(of: model._$header.pointee.changedIndex, bit),
      let values = tracker.storableValues(of: model, bit),
      tracker.originalValues.values(of: entry).elementsEqual(values)
    else { return false }
    if tracker.root.staleRows.contains(model._$header.pointee.rowID), try hasDisplacedOwner(bit, model, tracker) {
      return false
    }
    // Several may share it.
    return try tracker.layout.properties.allSatisfy { property in
      try property.bit != bit || (isNoOp(property, of: model, tracker) && canPruneMembers(property, of: model, tracker))
    }
  }

  /// Whether an edit of a one-to-one took its object from another owner, to which the store relates that object: if the edit ended,
  /// neither owner would have it.
  private func hasDisplacedOwner(_ bit: _PropertyMask, _ model: any PersistentModel, _ tracker: _EntityTracker) throws
    -> Bool
  {
    for relationship in tracker.layout.relationships
    where relationship.bit == bit && relationship.inverse?.isToMany == false {
      guard case .foreignKey = relationship.storage, case let key = model._$foreignKey(relationship.property), key > 0
      else { continue }
      let root = tracker.root
      for (row, _) in try tracker.declaringTracker(relationship.property).storedReferences(relationship, to: [key]) {
        guard let other = root.find(row).map(root.erased), other !== model, relationship.isEdited(of: other) else {
          continue
        }
        if other._$foreignKey(relationship.property) == 0 { return true }
      }
    }
    return false
  }

  // MARK: Members

  /// The members of a list that left it and came back: their keys are as they are stored, and count as edited.
  private func readdedMembers(
    _ property: PropertyLayout, of model: any PersistentModel
  ) -> (key: RelationshipLayout, members: [any PersistentModel])? {
    guard let relationship = property.relationship, relationship.isToMany, let key = relationship.inverse,
      case .foreignKey = key.storage,
      case .many(let members?) = model._$relationshipValue(property.index)
    else { return nil }
    return (key, members.filter { NoOpEditPruning.isEdited($0) && key.isEdited(of: $0) })
  }

  /// Whether the edits of its members' keys end with those of a list. Where one does not, the member would come last in the list
  /// when that is read anew.
  private mutating func canPruneMembers(
    _ property: PropertyLayout, of model: any PersistentModel, _ tracker: _EntityTracker
  ) throws -> Bool {
    guard let (key, members) = readdedMembers(property, of: model) else { return true }
    // Lists may share the bit, and lead round in a circle.
    if _ModelLayout.sharesBit(key.property) { return members.isEmpty }
    return try members.allSatisfy { member in
      let there = tracker.concreteTracker(member)
      return try canPrune(member, there) && isNoOp(key.bit, of: member, there)
    }
  }

  /// Adds the keys of members to lists whose edits end.
  private mutating func addMemberEdits(to idle: inout [PrunedEdit]) throws {
    for (model, tracker, mask) in idle {
      for property in tracker.layout.properties where property.bit & mask != 0 {
        guard let (key, members) = readdedMembers(property, of: model) else { continue }
        idle += members.map { ($0, tracker.concreteTracker($0), key.bit) }
      }
    }
  }

  // MARK: What has no column

  private mutating func isNoOp(
    _ property: PropertyLayout, of model: any PersistentModel, _ tracker: _EntityTracker
  ) throws -> Bool {
    guard let former = tracker.originalRelationships[RelationshipKey(model, property.index)] else { return true }
    switch compare(former, property) {
    case .unchanged: return true
    case .changed: return false
    case .dependsOnStore(let relationship, let rows):
      return try stored.members(relationship, of: model._$header.pointee.rowID, tracker) == rows
    }
  }

  /// Compares what a property holds with what it held before it was changed.
  private func compare(_ former: OriginalRelationship, _ property: PropertyLayout) -> Comparison {
    let model = former.model
    switch (former.value, model._$relationshipValue(property.index)) {
    case (.boxed(let before?), .boxed(let now?)):
      return property.codec.isSame(boxed: before, now) ? .unchanged : .changed
    case (.one(let before, _), .one(let now, _)):
      if now == _ToOneKey.notLoaded { return .unchanged }
      // Others may have led it elsewhere since.
      let isKnown = before != _ToOneKey.notLoaded && isCurrent(former)
      guard !isKnown, let relationship = property.relationship else { return before == now ? .unchanged : .changed }
      return .dependsOnStore(relationship, now > 0 ? [now] : [])
    case (.many(let before?), .many(let now?)) where before.elementsEqual(now, by: ===): return .unchanged
    case (.many(let before), .many(let now?)):
      guard let relationship = property.relationship else { return .changed }
      // Others may have changed it as it was changed here; and what was loaded without the deleted is not what is stored.
      let isKnown =
        before.map { isCurrent(former) && !core.hasRestoredMembers(relationship, of: model, notIn: $0) } ?? false
      return isKnown ? .changed : .dependsOnStore(relationship, now.map { $0._$header.pointee.rowID })
    case (.many(nil), .many(nil)):
      guard let edit = model._$header.pointee.tracker?.joinEdits[RelationshipKey(model, property.index)] else {
        return .unchanged
      }
      return edit.added.isEmpty && edit.removed.isEmpty ? .unchanged : .changed
    default: return .changed
    }
  }

  private func isCurrent(_ former: OriginalRelationship) -> Bool {
    former.generation == Int64(core.relationMarks.generation)
  }

  /// As long as they were edited, relationships were what they were when others had not yet changed them.
  private func unloadStale(_ mask: _PropertyMask, of model: any PersistentModel, _ tracker: _EntityTracker) {
    for relationship in tracker.layout.relationships where relationship.bit & mask != 0 {
      guard let former = tracker.originalRelationships[RelationshipKey(model, relationship.property)],
        former.generation != 0,
        !isCurrent(former)
      else { continue }
      tracker.withMutation(model, relationship.property) {
        if relationship.isToMany {
          tracker.unloadRecordingBase(model, relationship.property)
        } else {
          model._$applyChange(relationship.property, .foreignKey(_ToOneKey.notLoaded))
        }
      }
    }
  }
}

extension _EntityTracker {
  /// The stored form of a property; nil where it has none.
  fileprivate func storableValues<Model: PersistentModel>(of model: Model, _ bit: _PropertyMask) -> [_StoredValue]? {
    StoredColumns(of: model, layout, bit).storable
  }
}
