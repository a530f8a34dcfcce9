import LarderSupport

/// Edits that lead to what the store has anyway, as a step leaves them that was taken back: objects are as they were, and
/// count as changed no more. A save would write rows that nobody changed, and give others something to merge.
struct IdleEdits {
  private typealias Dropped = (model: any PersistentModel, state: EntityState, mask: PropertyMask)

  private enum Comparison {
    case idle
    case edited
    /// Only the store says it.
    case asStored(RelationLayout, [Int64])
  }

  private let core: ContextCore
  private let places: Set<RowPlace>
  /// The objects that it looks at.
  private let objects: [(model: any PersistentModel, state: EntityState)]
  private var stored: StoredLists

  /// - Parameters:
  ///   - places: The rows of the step.
  ///   - objects: Those that it has changed.
  init(
    _ core: ContextCore, of places: Set<RowPlace>, among objects: [(model: any PersistentModel, state: EntityState)]
  ) {
    self.core = core
    self.places = places
    self.objects = objects.filter { IdleEdits.isEdited($0.model) }
    core.comparedObjects += self.objects.count
    stored = StoredLists(core)
  }

  /// - Returns: The objects' places, and the properties that are not edited any more.
  mutating func drop() throws -> [(place: RowPlace, layout: ModelLayout, mask: PropertyMask)] {
    var idle = try find()
    try addMembers(to: &idle)
    var isLeftBehind = false
    for (model, state, mask) in idle {
      if state.root.leftBehind.contains(model._$header.pointee.rowID) { isLeftBehind = true }
      unloadOutdated(mask, of: model, state)
      state.dropEdits(of: model, among: mask)
    }
    for state in core.known {
      state.dropUnchanged()
      state.undo.trim()
    }
    if isLeftBehind {
      // They are brought in step, and with them what their rows tell of others.
      core.editsEnded()
      core.relationMarks.listsOutdated()
    }
    return idle.map { (RowPlace($0.state, $0.model._$header.pointee.rowID), $0.state.layout, $0.mask) }
  }

  // MARK: Finding

  private mutating func find() throws -> [Dropped] {
    for (model, state) in objects where !state.formerRelations.isEmpty {
      for property in state.layout.properties {
        guard let former = state.formerRelations[RelationPlace(model, property.index)],
          case .asStored(let relation, _) = compare(former, property)
        else { continue }
        stored.want(relation, of: model._$header.pointee.rowID, state)
      }
    }
    try stored.read()
    var result: [Dropped] = []
    for (model, state) in objects where mayEnd(of: model, state) {
      let mask = try idleEdits(of: model, state)
      if mask != 0 { result.append((model, state, mask)) }
    }
    return result
  }

  private static func isEdited(_ model: any PersistentModel) -> Bool {
    let status = model._$header.pointee.status
    return status.isSuperset(of: [.stored, .changed]) && !status.contains(.deleted)
  }

  /// What others have changed as well is not as it is stored: only what the step itself took back ends there.
  private func mayEnd(of model: any PersistentModel, _ state: EntityState) -> Bool {
    let row = model._$header.pointee.rowID
    return !state.root.leftBehind.contains(row) || places.contains(RowPlace(state, row))
  }

  private mutating func idleEdits(of model: any PersistentModel, _ state: EntityState) throws -> PropertyMask {
    var mask: PropertyMask = 0
    var rest = model._$header.pointee.changed
    while rest != 0 {
      let bit = rest.first
      rest &= ~bit
      if try isIdle(bit, of: model, state) { mask |= bit }
    }
    return mask
  }

  private mutating func isIdle(_ bit: PropertyMask, of model: any PersistentModel, _ state: EntityState) throws -> Bool
  {
    guard let entry = state.undo.entry(of: model._$header.pointee.place, bit),
      let values = state.storableValues(of: model, bit), state.undo.values(of: entry).elementsEqual(values)
    else { return false }
    if state.root.leftBehind.contains(model._$header.pointee.rowID), try hasTaken(bit, model, state) {
      return false
    }
    // Several may share it.
    return try state.layout.properties.allSatisfy { property in
      try property.bit != bit || (isIdle(property, of: model, state) && mayMembersEnd(property, of: model, state))
    }
  }

  /// Whether an edit of a one-to-one took its object from another owner, to which the store relates that object: if the edit ended,
  /// neither owner would have it.
  private func hasTaken(_ bit: PropertyMask, _ model: any PersistentModel, _ state: EntityState) throws -> Bool {
    for relation in state.layout.relations where relation.bit == bit && relation.mirrored?.isToMany == false {
      guard case .key = relation.form, case let key = model._$key(relation.property), key > 0 else { continue }
      let root = state.root
      for (row, _) in try state.declaring(relation.property).storedReferences(relation, to: [key]) {
        guard let other = root.find(row).map(root.erased), other !== model, relation.isEdited(of: other) else {
          continue
        }
        if other._$key(relation.property) == 0 { return true }
      }
    }
    return false
  }

  // MARK: Members

  /// The members of a list that left it and came back: their keys are as they are stored, and count as edited.
  private func returned(
    _ property: PropertyLayout, of model: any PersistentModel
  ) -> (key: RelationLayout, members: [any PersistentModel])? {
    guard let relation = property.relation, relation.isToMany, let key = relation.mirrored, case .key = key.form,
      case .many(let members?) = model._$relation(property.index)
    else { return nil }
    return (key, members.filter { IdleEdits.isEdited($0) && key.isEdited(of: $0) })
  }

  /// Whether the edits of its members' keys end with those of a list. Where one does not, the member would come last in the list
  /// when that is read anew.
  private mutating func mayMembersEnd(
    _ property: PropertyLayout, of model: any PersistentModel, _ state: EntityState
  ) throws -> Bool {
    guard let (key, members) = returned(property, of: model) else { return true }
    // Lists may share the bit, and lead round in a circle.
    if ModelLayout.sharesBit(key.property) { return members.isEmpty }
    return try members.allSatisfy { member in
      let there = state.own(member)
      return try mayEnd(of: member, there) && isIdle(key.bit, of: member, there)
    }
  }

  /// Adds the keys of members to lists whose edits end.
  private mutating func addMembers(to idle: inout [Dropped]) throws {
    for (model, state, mask) in idle {
      for property in state.layout.properties where property.bit & mask != 0 {
        guard let (key, members) = returned(property, of: model) else { continue }
        idle += members.map { ($0, state.own($0), key.bit) }
      }
    }
  }

  // MARK: What has no column

  private mutating func isIdle(
    _ property: PropertyLayout, of model: any PersistentModel, _ state: EntityState
  ) throws -> Bool {
    guard let former = state.formerRelations[RelationPlace(model, property.index)] else { return true }
    switch compare(former, property) {
    case .idle: return true
    case .edited: return false
    case .asStored(let relation, let rows):
      return try stored.members(relation, of: model._$header.pointee.rowID, state) == rows
    }
  }

  /// Compares what a property holds with what it held before it was changed.
  private func compare(_ former: FormerRelation, _ property: PropertyLayout) -> Comparison {
    let model = former.model
    switch (former.value, model._$relation(property.index)) {
    case (.held(let before?), .held(let now?)): return property.codec.isSame(held: before, now) ? .idle : .edited
    case (.one(let before, _), .one(let now, _)):
      if now == ToOneKey.unknown { return .idle }
      // Others may have led it elsewhere since.
      let isKnown = before != ToOneKey.unknown && isCurrent(former)
      guard !isKnown, let relation = property.relation else { return before == now ? .idle : .edited }
      return .asStored(relation, now > 0 ? [now] : [])
    case (.many(let before?), .many(let now?)) where before.elementsEqual(now, by: ===): return .idle
    case (.many(let before), .many(let now?)):
      guard let relation = property.relation else { return .edited }
      // Others may have changed it as it was changed here; and what was loaded without the deleted is not what is stored.
      let isKnown = before.map { isCurrent(former) && !core.hasReturned(relation, of: model, besides: $0) } ?? false
      return isKnown ? .edited : .asStored(relation, now.map { $0._$header.pointee.rowID })
    case (.many(nil), .many(nil)):
      guard let edit = model._$header.pointee.state?.linkEdits[RelationPlace(model, property.index)] else {
        return .idle
      }
      return edit.added.isEmpty && edit.removed.isEmpty ? .idle : .edited
    default: return .edited
    }
  }

  private func isCurrent(_ former: FormerRelation) -> Bool {
    former.generation == Int64(core.relationMarks.generation)
  }

  /// As long as they were edited, relationships were what they were when others had not yet changed them.
  private func unloadOutdated(_ mask: PropertyMask, of model: any PersistentModel, _ state: EntityState) {
    for relation in state.layout.relations where relation.bit & mask != 0 {
      guard let former = state.formerRelations[RelationPlace(model, relation.property)], former.generation != 0,
        !isCurrent(former)
      else { continue }
      state.observe(model, relation.property) {
        if relation.isToMany {
          state.unloadShown(model, relation.property)
        } else {
          model._$change(relation.property, .key(ToOneKey.unknown))
        }
      }
    }
  }
}

extension EntityState {
  /// The stored form of a property; nil where it has none.
  fileprivate func storableValues<Model: PersistentModel>(of model: Model, _ bit: PropertyMask) -> [StoredValue]? {
    StoredColumns(of: model, layout, bit).storable
  }
}
