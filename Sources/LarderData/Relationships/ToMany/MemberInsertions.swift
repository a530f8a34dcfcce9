import LarderSupport

/// What enters to-manys, together for each: a list of thousands is looked through once.
struct MemberInsertions {
  private struct List {
    let owner: any PersistentModel
    let tracker: _EntityTracker
    let relationship: RelationshipLayout
    var members: [any PersistentModel] = []
    var memberIDs: Set<ObjectIdentifier> = []
    /// Those that were given their key to the owner just now.
    var reassigned: Set<ObjectIdentifier> = []
  }

  private var lists: [List] = []
  private var indexes: [RelationshipKey: Int] = [:]

  /// - Parameter isMoved: Whether the member was given its key to the owner just now.
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

  /// Puts into each list what is not in it.
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

  /// Puts into lists that are loaded anew what the store has not in them: the change that had put it in was forgotten while
  /// the deletion hid it, since the list was as it is stored then.
  private func insertUnstored(_ lists: [(list: List, absent: [any PersistentModel])], _ core: _ContextCore) throws {
    var stored = StoredMembers(core)
    for (list, _) in lists { stored.request(list.relationship, of: list.owner._$header.pointee.rowID, list.tracker) }
    try stored.read()
    for (list, absent) in lists {
      let rows = Set(try stored.members(list.relationship, of: list.owner._$header.pointee.rowID, list.tracker))
      insert(absent.filter { !rows.contains($0._$header.pointee.rowID) }, list, core)
    }
  }

  /// A list over a table of pairs may have been loaded while some of its pairs were left out, since an object at the
  /// other end was deleted: what the store has of it is then not known here.
  ///
  /// - Returns: Whether it is loaded when it is next asked for, with all of its pairs that are stored.
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
      // A list that is let go and loaded again has those last that were moved: it is not, if it was changed.
      if !list.reassigned.isEmpty { tracker.recordRelationshipChange(list.owner, list.relationship) }
      // Looking through a list takes less time than a set of it.
      if list.members.count <= 4 { return list.members.filter { member in !present.contains { $0 === member } } }
      let known = Set(present.map { ObjectIdentifier($0) })
      return list.members.filter { !known.contains(ObjectIdentifier($0)) }
    }
    // Not loaded: the store and what is pending have those that were not taken out.
    let edit = tracker.joinEdits[RelationshipKey(list.owner, list.relationship.property)]
    let added = Set((edit?.added ?? []).map { ObjectIdentifier($0) })
    return list.members.filter { member in
      if added.contains(ObjectIdentifier(member)) { return false }
      let isMoved = list.reassigned.contains(ObjectIdentifier(member))
      return isMoved || edit?.removed.contains(member._$header.pointee.rowID) == true
    }
  }
}
