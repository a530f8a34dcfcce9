import LarderSupport

/// The edits with values that the store has anyway, as they remain after a step was reverted: the objects are as they were,
/// and are no longer marked as changed. A save would write unchanged rows, and other contexts would have to merge them.
struct NoOpEditPruning {
  private typealias PrunedEdit = (model: any PersistentModel, tracker: _EntityTracker, mask: _PropertyMask)

  private enum Comparison {
    case unchanged
    case changed
    /// Only the store has the answer.
    case dependsOnStore(RelationshipLayout, [Int64])
  }

  private let core: _ContextCore
  private let rowKeys: Set<RowKey>
  /// The objects to examine.
  private let objects: [(model: any PersistentModel, tracker: _EntityTracker)]
  private var stored: StoredMembers

  /// - Parameters:
  ///   - places: The rows of the step.
  ///   - objects: The objects that the step has changed.
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

  /// Removes the edits.
  ///
  /// - Returns: The row keys of the objects, and the properties that are no longer edited.
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
      // They are refreshed, and with them the relationships that their rows determine.
      core.scheduleStaleRefresh()
      core.relationMarks.markToManysStale()
    }
    return idle.map { (RowKey($0.tracker, $0.model._$header.pointee.rowID), $0.tracker.layout, $0.mask) }
  }

  // MARK: Comparison

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

  /// Returns whether edits of an object can be removed. A row that other contexts have changed, too, is not as it is stored:
  /// only the edits of the step's own rows end then.
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
    // Several properties may share the bit.
    return try tracker.layout.properties.allSatisfy { property in
      try property.bit != bit || (isNoOp(property, of: model, tracker) && canPruneMembers(property, of: model, tracker))
    }
  }

  /// Returns whether an edit of a one-to-one took its target from another owner, to which the store relates that target: if the
  /// edit ended, neither owner would have the target.
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

  /// Returns the members of a list that left it and came back: their keys have the stored values, but are marked as edited.
  private func readdedMembers(
    _ property: PropertyLayout, of model: any PersistentModel
  ) -> (key: RelationshipLayout, members: [any PersistentModel])? {
    guard let relationship = property.relationship, relationship.isToMany, let key = relationship.inverse,
      case .foreignKey = key.storage,
      case .many(let members?) = model._$relationshipValue(property.index)
    else { return nil }
    return (key, members.filter { NoOpEditPruning.isEdited($0) && key.isEdited(of: $0) })
  }

  /// Returns whether the edits of the members' keys can be removed with that of the list. If one cannot, its member would be
  /// the last in the list when that is read again.
  private mutating func canPruneMembers(
    _ property: PropertyLayout, of model: any PersistentModel, _ tracker: _EntityTracker
  ) throws -> Bool {
    guard let (key, members) = readdedMembers(property, of: model) else { return true }
    // Lists may share the bit, and refer to each other in a cycle.
    if _ModelLayout.sharesBit(key.property) { return members.isEmpty }
    return try members.allSatisfy { member in
      let there = tracker.concreteTracker(member)
      return try canPrune(member, there) && isNoOp(key.bit, of: member, there)
    }
  }

  /// Adds the keys of the members of lists whose edits are removed.
  private mutating func addMemberEdits(to idle: inout [PrunedEdit]) throws {
    for (model, tracker, mask) in idle {
      for property in tracker.layout.properties where property.bit & mask != 0 {
        guard let (key, members) = readdedMembers(property, of: model) else { continue }
        idle += members.map { ($0, tracker.concreteTracker($0), key.bit) }
      }
    }
  }

  // MARK: Properties without a column

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

  /// Compares the value of a property with its value before the change.
  private func compare(_ former: OriginalRelationship, _ property: PropertyLayout) -> Comparison {
    let model = former.model
    switch (former.value, model._$relationshipValue(property.index)) {
    case (.boxed(let before?), .boxed(let now?)):
      return property.codec.isSame(boxed: before, now) ? .unchanged : .changed
    case (.one(let before, _), .one(let now, _)):
      if now == _ToOneKey.notLoaded { return .unchanged }
      // Another context may have set the key at the other end since.
      let isKnown = before != _ToOneKey.notLoaded && isCurrent(former)
      guard !isKnown, let relationship = property.relationship else { return before == now ? .unchanged : .changed }
      return .dependsOnStore(relationship, now > 0 ? [now] : [])
    case (.many(let before?), .many(let now?)) where before.elementsEqual(now, by: ===): return .unchanged
    case (.many(let before), .many(let now?)):
      guard let relationship = property.relationship else { return .changed }
      // Another context may have made the same change. A list that was loaded without deleted members is not the stored one.
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

  /// Unloads relationships that were edited while other contexts changed them: they have values from before these changes.
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
  /// Returns the stored form of a property; `nil` if it has none.
  fileprivate func storableValues<Model: PersistentModel>(of model: Model, _ bit: _PropertyMask) -> [_StoredValue]? {
    StoredColumns(of: model, layout, bit).storable
  }
}
