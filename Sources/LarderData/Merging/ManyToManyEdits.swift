import LarderSupport

/// The local changes of a many-to-many relationship's join rows, collected from the lists of both ends.
///
/// A pair of objects is in both lists or in neither, so its change is one, although each list records it as a difference to
/// its own original members. The two lists were not read at the same time, and another context may have committed between the
/// reads: then one list has the change, and the other list has the pair as it is stored. In a merge, a change in one list
/// counts for both; and if the store already has the change, it ends in both.
struct ManyToManyEdits {
  /// The key of one object's list.
  private struct ListKey: Hashable {
    let root: Int
    let property: Int
    let row: Int64
  }

  private struct List {
    let tracker: _EntityTracker
    let relationship: RelationshipLayout
    /// The changed members by their row IDs: `true` for an addition, `false` for a removal.
    var edits: [Int64: Bool] = [:]
    /// The changed members that are in the stored list, if that was read.
    var stored: Set<Int64>?
  }

  private let core: _ContextCore
  private var lists: [ListKey: List] = [:]

  /// - Parameter isChanged: Whether other contexts have changed rows of an entity, given by the topmost class's tracker.
  init(_ core: _ContextCore, _ isChanged: (_EntityTracker) -> Bool) {
    self.core = core
    var unloaded: [EditedList] = []
    var loaded: Set<ListKey> = []
    for tracker in core.trackers {
      for former in tracker.originalRelationships.values {
        guard core.isPresent(former.model),
          let relationship = tracker.concreteTracker(former.model).layout.relationship(former.property),
          relationship.usesJoinTable, let inverse = relationship.inverse,
          let there = core.existingTracker(for: relationship.destinationLayout),
          isChanged(there.root) || isChanged(tracker.root)
        else { continue }
        let source = EditedList(
          model: former.model, tracker: tracker, relationship: relationship, destination: there, inverse: inverse)
        switch (former.value, former.model._$relationshipValue(former.property)) {
        case (.many(let base?), .many(let present?)):
          loaded.insert(listKey(source.row, tracker, relationship))
          record(source, from: base, to: present)
        case (_, .many(nil)): unloaded.append(source)
        default: break
        }
      }
    }
    for source in unloaded { recordJoinEdits(source, excluding: loaded) }
  }

  /// A list with local changes.
  private struct EditedList {
    let model: any PersistentModel
    let tracker: _EntityTracker
    let relationship: RelationshipLayout
    let destination: _EntityTracker
    let inverse: RelationshipLayout
    var row: Int64 { model._$header.pointee.rowID }
  }

  private mutating func record(_ source: EditedList, _ member: Int64, isMember isIn: Bool) {
    let (end, other) = (
      listKey(source.row, source.tracker, source.relationship), listKey(member, source.destination, source.inverse)
    )
    lists[end, default: List(tracker: source.tracker, relationship: source.relationship)].edits[member] = isIn
    lists[other, default: List(tracker: source.destination, relationship: source.inverse)].edits[source.row] = isIn
  }

  private mutating func record(
    _ source: EditedList, from base: [any PersistentModel], to present: [any PersistentModel]
  ) {
    if base.elementsEqual(present, by: ===) { return }
    let (before, after) = (Set(base.map { ObjectIdentifier($0) }), Set(present.map { ObjectIdentifier($0) }))
    for member in present where !before.contains(ObjectIdentifier(member)) && core.isPresent(member) {
      record(source, member._$header.pointee.rowID, isMember: true)
    }
    for member in base where !after.contains(ObjectIdentifier(member)) && core.isPresent(member) {
      record(source, member._$header.pointee.rowID, isMember: false)
    }
  }

  /// Records the edits of a list that is not loaded. Such edits do not distinguish a member that left and came back from a
  /// change: if the list at the other end is loaded, that list is used instead.
  private mutating func recordJoinEdits(_ source: EditedList, excluding loaded: Set<ListKey>) {
    let place = RelationshipKey(source.model, source.relationship.property)
    guard let edit = source.tracker.concreteTracker(source.model).joinEdits[place] else { return }
    for member in edit.added where core.isPresent(member) {
      let row = member._$header.pointee.rowID
      if !loaded.contains(listKey(row, source.destination, source.inverse)) { record(source, row, isMember: true) }
    }
    for row in edit.removed where !loaded.contains(listKey(row, source.destination, source.inverse)) {
      let member = source.destination.find(row).map(source.destination.erased)
      if member.map(core.isPresent) != false { record(source, row, isMember: false) }
    }
  }

  private func listKey(_ row: Int64, _ tracker: _EntityTracker, _ relationship: RelationshipLayout) -> ListKey {
    ListKey(root: tracker.layout.root.id, property: relationship.property, row: row)
  }

  /// Returns the local additions to (`true`) and removals from (`false`) an object's list, at either end.
  ///
  /// - Parameter stored: The members in the store.
  mutating func edits(
    of owner: any PersistentModel, _ tracker: _EntityTracker, _ relationship: RelationshipLayout,
    stored: [any PersistentModel]
  ) -> [Int64: Bool] {
    let end = listKey(owner._$header.pointee.rowID, tracker, relationship)
    guard let edits = lists[end]?.edits else { return [:] }
    lists[end]?.stored = Set(stored.rowIDs.filter { edits[$0] != nil })
    return edits
  }

  /// Applies the edits to lists that were not read, if the lists at their other ends were.
  func applyToUnreadLists() {
    for (end, list) in lists where list.stored == nil {
      guard let owner = list.tracker.find(end.row).map(list.tracker.erased), core.isPresent(owner),
        owner._$header.pointee.status.contains(.stored), let inverse = list.relationship.inverse,
        let there = core.existingTracker(for: list.relationship.destinationLayout)
      else { continue }
      var ended: Set<Int64> = []
      var pending: [(member: any PersistentModel, isIn: Bool)] = []
      for (row, isIn) in list.edits {
        guard let stored = lists[self.listKey(row, there, inverse)]?.stored else { continue }
        if stored.contains(end.row) == isIn {
          ended.insert(row)
        } else if let member = there.find(row).map(there.erased) {
          pending.append((member, isIn))
        }
      }
      let tracker = list.tracker.concreteTracker(owner)
      tracker.dropJoinEdits(with: ended, of: owner, list.relationship)
      pending = pending.inOrder { $0.member._$header.pointee.rowID < $1.member._$header.pointee.rowID }
      tracker.applyInverseEdits(pending, in: owner, list.relationship)
    }
  }
}

extension _EntityTracker {
  /// Drops the edits of a list that was not loaded for members that the store already has added or removed.
  fileprivate func dropJoinEdits(
    with members: Set<Int64>, of owner: any PersistentModel, _ relationship: RelationshipLayout
  ) {
    let place = RelationshipKey(owner, relationship.property)
    if members.isEmpty || joinEdits[place] == nil { return }
    joinEdits[place]?.removed.subtract(members)
    joinEdits[place]?.added.removeAll { members.contains($0._$header.pointee.rowID) }
  }

  /// Records changes of pairs that the lists at the other end have, and this list lacks.
  fileprivate func applyInverseEdits(
    _ edits: [(member: any PersistentModel, isIn: Bool)], in owner: any PersistentModel,
    _ relationship: RelationshipLayout
  ) {
    if edits.isEmpty { return }
    core.unloadIfStale(owner, relationship)
    let isLoaded = owner._$foreignKey(relationship.property) != 0
    let edit = joinEdits[RelationshipKey(owner, relationship.property)]
    let present = Set((isLoaded ? owner.memberRowIDs(of: relationship.property) : edit?.added.rowIDs) ?? [])
    let absent = isLoaded ? nil : edit?.removed ?? []
    let missing = edits.filter { edit in
      let row = edit.member._$header.pointee.rowID
      return edit.isIn ? !present.contains(row) : absent.map { !$0.contains(row) } ?? present.contains(row)
    }
    if missing.isEmpty { return }
    core.relationMarks.toManyChangeCount &+= 1
    withMutation(owner, relationship) {
      for (member, isIn) in missing {
        switch (isLoaded, isIn) {
        case (true, true): owner._$applyChange(relationship.property, .append(member))
        case (true, false): core.removeFromStorage([member], of: owner, relationship)
        case (false, true): recordJoinEdit(owner, relationship, added: member)
        case (false, false): recordJoinEdit(owner, relationship, removed: [member])
        }
      }
    }
  }
}
