import LarderSupport

/// The members that are added to to-manys, grouped by list: a list of thousands is searched once.
struct MemberInsertions {
  private struct List {
    let owner: any PersistentModel
    let tracker: _EntityTracker
    let relationship: RelationshipLayout
    var members: [any PersistentModel] = []
    var memberIDs: Set<ObjectIdentifier> = []
    /// The members whose key was just set to the owner.
    var reassigned: Set<ObjectIdentifier> = []
  }

  private var lists: [List] = []
  private var indexes: [RelationshipKey: Int] = [:]

  /// - Parameter isMoved: Whether the member's key was just set to the owner.
  mutating func append(
    _ member: any PersistentModel, to owner: any PersistentModel, _ tracker: _EntityTracker,
    _ relationship: RelationshipLayout,
    isReassigned isMoved: Bool = false
  ) {
    let place = RelationshipKey(owner, relationship.property)
    let known = indexes[place] ?? lists.count
    if known == lists.count {
      indexes[place] = known
      lists.append(List(owner: owner, tracker: tracker, relationship: relationship))
    }
    if lists[known].memberIDs.insert(ObjectIdentifier(member)).inserted { lists[known].members.append(member) }
    if isMoved { lists[known].reassigned.insert(ObjectIdentifier(member)) }
  }

  /// Adds to each list the members that it does not contain.
  func apply(to core: _ContextCore) throws {
    var unloaded: [(list: List, absent: [any PersistentModel])] = []
    for list in lists {
      let absent = missingMembers(of: list)
      if absent.isEmpty { continue }
      if unloadIfUnchanged(list, absent) { unloaded.append((list, absent)) } else { insert(absent, list, core) }
    }
    if !unloaded.isEmpty { try insertUnstored(unloaded, core) }
  }

  private func insert(_ members: [any PersistentModel], _ list: List, _ core: _ContextCore) {
    for member in members { core.appendMember(list.owner, list.tracker, list.relationship, member) }
  }

  /// Adds to lists that are loaded anew the members that the store does not have in them. The change that had added such a
  /// member was discarded while the deletion hid the member, since the list was as it was stored then.
  private func insertUnstored(_ lists: [(list: List, absent: [any PersistentModel])], _ core: _ContextCore) throws {
    var stored = StoredMembers(core)
    for (list, _) in lists { stored.request(list.relationship, of: list.owner._$header.pointee.rowID, list.tracker) }
    try stored.read()
    for (list, absent) in lists {
      let rows = Set(try stored.members(list.relationship, of: list.owner._$header.pointee.rowID, list.tracker))
      insert(absent.filter { !rows.contains($0._$header.pointee.rowID) }, list, core)
    }
  }

  /// Unloads an unchanged list over a join table. The list may have been loaded while some of its pairs were omitted, since an
  /// object at the other end was deleted: then its stored members are not known here.
  ///
  /// - Returns: Whether the list is loaded on its next access, with all of its stored pairs.
  private func unloadIfUnchanged(_ list: List, _ absent: [any PersistentModel]) -> Bool {
    guard case .joinTable = list.relationship.storage, list.owner._$foreignKey(list.relationship.property) != 0,
      list.owner._$header.pointee.status.contains(.stored)
    else { return false }
    let tracker = list.tracker.concreteTracker(list.owner)
    let place = RelationshipKey(list.owner, list.relationship.property)
    guard let former = tracker.originalRelationships[place] else {
      tracker.unloadRecordingBase(list.owner, list.relationship, restored: absent)
      return true
    }
    if case .many(let base?) = former.value {
      let known = Set(base.map { ObjectIdentifier($0) })
      if !absent.allSatisfy({ known.contains(ObjectIdentifier($0)) }) {
        tracker.originalRelationships[place]?.value = .many(nil)
      }
    }
    return false
  }

  private func missingMembers(of list: List) -> [any PersistentModel] {
    let tracker = list.tracker.concreteTracker(list.owner)
    if case .many(let present?) = list.owner._$relationshipValue(list.relationship.property) {
      // A list that is unloaded and loaded again has moved members last. A list with a recorded change is not unloaded.
      if !list.reassigned.isEmpty { tracker.recordRelationshipChange(list.owner, list.relationship) }
      // Searching a list takes less time than building a set.
      if list.members.count <= 4 { return list.members.filter { member in !present.contains { $0 === member } } }
      let known = Set(present.map { ObjectIdentifier($0) })
      return list.members.filter { !known.contains(ObjectIdentifier($0)) }
    }
    // Not loaded: the store and the pending changes have the members that were not removed.
    let edit = tracker.joinEdits[RelationshipKey(list.owner, list.relationship.property)]
    let added = Set((edit?.added ?? []).map { ObjectIdentifier($0) })
    return list.members.filter { member in
      if added.contains(ObjectIdentifier(member)) { return false }
      let isMoved = list.reassigned.contains(ObjectIdentifier(member))
      return isMoved || edit?.removed.contains(member._$header.pointee.rowID) == true
    }
  }
}
