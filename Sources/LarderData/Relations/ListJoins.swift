import LarderSupport

/// What enters to-manys, together for each: a list of thousands is looked through once.
struct ListJoins {
  private struct List {
    let owner: any PersistentModel
    let state: EntityState
    let relation: RelationLayout
    var members: [any PersistentModel] = []
    var known: Set<ObjectIdentifier> = []
    /// Those that were given their key to the owner just now.
    var moved: Set<ObjectIdentifier> = []
  }

  private var lists: [List] = []
  private var places: [RelationPlace: Int] = [:]

  /// - Parameter isMoved: Whether the member was given its key to the owner just now.
  mutating func add(
    _ member: any PersistentModel, to owner: any PersistentModel, _ state: EntityState, _ relation: RelationLayout,
    isMoved: Bool = false
  ) {
    let place = RelationPlace(owner, relation.property)
    let known = places[place] ?? lists.count
    if known == lists.count {
      places[place] = known
      lists.append(List(owner: owner, state: state, relation: relation))
    }
    if lists[known].known.insert(ObjectIdentifier(member)).inserted { lists[known].members.append(member) }
    if isMoved { lists[known].moved.insert(ObjectIdentifier(member)) }
  }

  /// Puts into each list what is not in it.
  func carryOut(_ core: ContextCore) throws {
    var unloaded: [(list: List, absent: [any PersistentModel])] = []
    for list in lists {
      let absent = absent(list)
      if absent.isEmpty { continue }
      if isLoadedAnew(list, absent) { unloaded.append((list, absent)) } else { join(absent, list, core) }
    }
    if !unloaded.isEmpty { try joinUnsaved(unloaded, core) }
  }

  private func join(_ members: [any PersistentModel], _ list: List, _ core: ContextCore) {
    for member in members { core.join(list.owner, list.state, list.relation, member) }
  }

  /// Puts into lists that are loaded anew what the store has not in them: the change that had put it in was forgotten while
  /// the deletion hid it, since the list was as it is stored then.
  private func joinUnsaved(_ lists: [(list: List, absent: [any PersistentModel])], _ core: ContextCore) throws {
    var stored = StoredLists(core)
    for (list, _) in lists { stored.want(list.relation, of: list.owner._$header.pointee.rowID, list.state) }
    try stored.read()
    for (list, absent) in lists {
      let rows = Set(try stored.members(list.relation, of: list.owner._$header.pointee.rowID, list.state))
      join(absent.filter { !rows.contains($0._$header.pointee.rowID) }, list, core)
    }
  }

  /// A list over a table of pairs may have been loaded while some of its pairs were left out, since an object at the
  /// other end was deleted: what the store has of it is then not known here.
  ///
  /// - Returns: Whether it is loaded when it is next asked for, with all of its pairs that are stored.
  private func isLoadedAnew(_ list: List, _ absent: [any PersistentModel]) -> Bool {
    guard case .link = list.relation.form, list.owner._$key(list.relation.property) != 0,
      list.owner._$header.pointee.status.contains(.stored)
    else { return false }
    let state = list.state.own(list.owner)
    let place = RelationPlace(list.owner, list.relation.property)
    guard let former = state.formerRelations[place] else {
      state.unloadShown(list.owner, list.relation, returned: absent)
      return true
    }
    if case .many(let base?) = former.value {
      let known = Set(base.map { ObjectIdentifier($0) })
      if !absent.allSatisfy({ known.contains(ObjectIdentifier($0)) }) {
        state.formerRelations[place]?.value = .many(nil)
      }
    }
    return false
  }

  private func absent(_ list: List) -> [any PersistentModel] {
    let state = list.state.own(list.owner)
    if case .many(let present?) = list.owner._$relation(list.relation.property) {
      // A list that is let go and loaded again has those last that were moved: it is not, if it was changed.
      if !list.moved.isEmpty { state.noteChange(list.owner, list.relation) }
      // Looking through a list takes less time than a set of it.
      if list.members.count <= 4 { return list.members.filter { member in !present.contains { $0 === member } } }
      let known = Set(present.map { ObjectIdentifier($0) })
      return list.members.filter { !known.contains(ObjectIdentifier($0)) }
    }
    // Not loaded: the store and what is pending have those that were not taken out.
    let edit = state.linkEdits[RelationPlace(list.owner, list.relation.property)]
    let added = Set((edit?.added ?? []).map { ObjectIdentifier($0) })
    return list.members.filter { member in
      if added.contains(ObjectIdentifier(member)) { return false }
      let isMoved = list.moved.contains(ObjectIdentifier(member))
      return isMoved || edit?.removed.contains(member._$header.pointee.rowID) == true
    }
  }
}
