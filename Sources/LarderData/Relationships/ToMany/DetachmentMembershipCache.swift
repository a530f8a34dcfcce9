import LarderSupport

/// What is in the lists of objects that leave their context together, each of which is asked by all of its members: each list is
/// walked through once.
struct DetachmentMembershipCache {
  private var memberSets: [RelationshipKey: Set<ObjectIdentifier>] = [:]
  /// The list that was asked for last, which is walked through when it is asked for again.
  private var lastKey: RelationshipKey?
  /// How many places of lists were looked at.
  private(set) var scannedCount = 0

  mutating func contains(_ member: any PersistentModel, in owner: any PersistentModel, _ property: Int) -> Bool {
    let place = RelationshipKey(owner, property)
    if let known = memberSets[place] {
      scannedCount += 1
      return known.contains(ObjectIdentifier(member))
    }
    guard lastKey == place else {
      lastKey = place
      let search = _MemberSearch(member)
      owner._$applyChange(property, .search(search))
      scannedCount += search.scannedCount
      return search.isFound
    }
    guard case .many(let members?) = owner._$relationshipValue(property) else { return false }
    scannedCount += members.count
    let all = Set(members.map { ObjectIdentifier($0) })
    memberSets[place] = all
    return all.contains(ObjectIdentifier(member))
  }

  /// Members have been taken out of a list.
  mutating func remove(_ members: [any PersistentModel], from owner: any PersistentModel, _ property: Int) {
    let place = RelationshipKey(owner, property)
    if memberSets[place] == nil { return }
    for member in members { memberSets[place]?.remove(ObjectIdentifier(member)) }
  }
}

extension _ContextCore {
  /// Has several objects leave the context, which are detached in the body, and whose lists nothing else changes meanwhile.
  func withMembershipCache(_ body: () -> Void) {
    relationships.membershipCache = DetachmentMembershipCache()
    body()
    relationships.memberRemoval.addScanned(relationships.membershipCache?.scannedCount ?? 0)
    relationships.membershipCache = nil
  }

  /// Whether a list of an object that leaves holds another that leaves, too.
  func containsDuringDetachment(
    _ member: any PersistentModel, _ owner: any PersistentModel, _ relationship: RelationshipLayout
  ) -> Bool {
    relationships.membershipCache?.contains(member, in: owner, relationship.property)
      ?? owner.hasMember(member, in: relationship.property)
  }

  /// Takes objects that leave out of a list of one that leaves.
  func removeDuringDetachment(
    _ members: [any PersistentModel], _ owner: any PersistentModel, _ relationship: RelationshipLayout
  ) {
    removeFromStorage(members, of: owner, relationship)
    relationships.membershipCache?.remove(members, from: owner, relationship.property)
  }
}
