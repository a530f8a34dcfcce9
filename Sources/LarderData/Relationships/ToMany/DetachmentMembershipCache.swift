import LarderSupport

/// The members of lists of objects that leave their context together. Each list is queried for all of its members, but is
/// walked only once.
struct DetachmentMembershipCache {
  private var memberSets: [RelationshipKey: Set<ObjectIdentifier>] = [:]
  /// The last queried list, which is walked when it is queried again.
  private var lastKey: RelationshipKey?
  /// The number of list elements that were examined.
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

  /// Records that members have been removed from a list.
  mutating func remove(_ members: [any PersistentModel], from owner: any PersistentModel, _ property: Int) {
    let place = RelationshipKey(owner, property)
    if memberSets[place] == nil { return }
    for member in members { memberSets[place]?.remove(ObjectIdentifier(member)) }
  }
}

extension _ContextCore {
  /// Detaches several objects from the context in a body. Nothing else changes their lists meanwhile.
  func withMembershipCache(_ body: () -> Void) {
    relationships.membershipCache = DetachmentMembershipCache()
    body()
    relationships.memberRemoval.addScanned(relationships.membershipCache?.scannedCount ?? 0)
    relationships.membershipCache = nil
  }

  /// Returns whether a list of an object that leaves contains another object that leaves, too.
  func containsDuringDetachment(
    _ member: any PersistentModel, _ owner: any PersistentModel, _ relationship: RelationshipLayout
  ) -> Bool {
    relationships.membershipCache?.contains(member, in: owner, relationship.property)
      ?? owner.hasMember(member, in: relationship.property)
  }

  /// Removes leaving objects from a list of an object that leaves.
  func removeDuringDetachment(
    _ members: [any PersistentModel], _ owner: any PersistentModel, _ relationship: RelationshipLayout
  ) {
    removeFromStorage(members, of: owner, relationship)
    relationships.membershipCache?.remove(members, from: owner, relationship.property)
  }
}
