import LarderSupport

/// What is in the lists of objects that leave their context together, each of which is asked by all of its members: each list is
/// walked through once.
struct LeavingLists {
  private var lists: [RelationPlace: Set<ObjectIdentifier>] = [:]
  /// The list that was asked for last, which is walked through when it is asked for again.
  private var last: RelationPlace?
  /// How many places of lists were looked at.
  private(set) var steps = 0

  mutating func holds(_ member: any PersistentModel, in owner: any PersistentModel, _ property: Int) -> Bool {
    let place = RelationPlace(owner, property)
    if let known = lists[place] {
      steps += 1
      return known.contains(ObjectIdentifier(member))
    }
    guard last == place else {
      last = place
      let search = _ListSearch(member)
      owner._$change(property, .search(search))
      steps += search.places
      return search.isFound
    }
    guard case .many(let members?) = owner._$relation(property) else { return false }
    steps += members.count
    let all = Set(members.map { ObjectIdentifier($0) })
    lists[place] = all
    return all.contains(ObjectIdentifier(member))
  }

  /// Members have been taken out of a list.
  mutating func remove(_ members: [any PersistentModel], from owner: any PersistentModel, _ property: Int) {
    let place = RelationPlace(owner, property)
    if lists[place] == nil { return }
    for member in members { lists[place]?.remove(ObjectIdentifier(member)) }
  }
}

extension ContextCore {
  /// Has several objects leave the context, which are detached in the body, and whose lists nothing else changes meanwhile.
  func detachingTogether(_ body: () -> Void) {
    relations.leavingLists = LeavingLists()
    body()
    relations.leaving.note(relations.leavingLists?.steps ?? 0)
    relations.leavingLists = nil
  }

  /// Whether a list of an object that leaves holds another that leaves, too.
  func holdsWhileLeaving(
    _ member: any PersistentModel, _ owner: any PersistentModel, _ relation: RelationLayout
  ) -> Bool {
    relations.leavingLists?.holds(member, in: owner, relation.property) ?? owner.holds(member, in: relation.property)
  }

  /// Takes objects that leave out of a list of one that leaves.
  func partWhileLeaving(
    _ members: [any PersistentModel], _ owner: any PersistentModel, _ relation: RelationLayout
  ) {
    takeOut(members, of: owner, relation)
    relations.leavingLists?.remove(members, from: owner, relation.property)
  }
}
