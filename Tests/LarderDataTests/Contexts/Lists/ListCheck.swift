import SwiftData

/// Compares what a save has made of lists with what was to become of them.
struct ListCheck {
  let before: ListTruth
  let after: ListTruth
  let work: ListWork
  let policy: MergePolicy
  let owners: [ListWork.Member: Int]
  let pairs: [ListPair: Int]
  let lists: [ListPlace: Int]

  struct Failure: Error, CustomStringConvertible { let description: String }
  private func fail(_ description: String) -> Failure { Failure(description: "\(description) (\(policy.rawValue))") }

  func check() throws {
    for link in ListLink.allCases where link.isOneToMany { try checkOwners(link) }
    try checkPairs()
    for (place, assigned) in work.assigned { try checkOrder(place, assigned) }
  }

  private func checkOwners(_ link: ListLink) throws {
    let (was, now) = (before.owners(link), after.owners(link))
    for member in link.leadsToCards ? after.cards : after.boards {
      let former = was[member].flatMap { after.isThere($0) ? $0 : nil }
      let allowed = allowedOwners(ListWork.Member(link: link, id: member), former)
      guard !allowed.contains(now[member]) else { continue }
      let names = allowed.map { $0.map { "\($0)" } ?? "none" }.joined(separator: " or ")
      throw fail("\(member) is in \(link) of \(now[member].map { "\($0)" } ?? "none"), not of \(names)")
    }
  }

  /// - Parameter former: Whose the member was by what others have saved.
  private func allowedOwners(_ member: ListWork.Member, _ former: Int?) -> Set<Int?> {
    guard let move = work.moves[member] else { return [former] }
    let isTouched = owners[member, default: 0] > move.synced
    // The policy says whose change it is, if others have changed the owner, too.
    let isContested = isTouched && policy != .mergeByPropertyObjectTrump
    // What nobody else has changed is as it was changed here last.
    let isCertain = !isTouched || move.isCertain && !isContested
    if let owner = move.to {
      guard after.isThere(owner) else {
        return policy == .mergeByPropertyStoreTrump ? [nil, former, move.before] : [nil, former]
      }
      return isCertain ? [owner] : [owner, former]
    }
    if move.isLed { return isCertain ? [nil] : [nil, former] }
    // Taken out of a list that it is not in any more: it stays where it is, unless all of its row is as it is here.
    guard let former, move.from.contains(former) else {
      let isOverwritten = isContested && policy != .mergeByPropertyStoreTrump
      return isOverwritten || isTouched && move.isAgain ? [nil, former] : [former]
    }
    return isCertain ? [nil] : [nil, former]
  }

  private func checkPairs() throws {
    let (was, now) = (before.pairs, after.pairs)
    for pair in was.union(now).union(work.pairs.keys)
    where after.isThere(pair.owner) && after.isThere(pair.member) {
      guard let change = work.pairs[pair] else {
        if was.contains(pair) == now.contains(pair) { continue }
        throw fail(
          "\(pair.member) \(was.contains(pair) ? "was lost from" : "came into") \(pair.link) of \(pair.owner), which was not "
            + "changed here")
      }
      // What nobody else has changed is as it was changed here last.
      let isCertain = change.isCertain || pairs[pair, default: 0] <= change.synced
      if isCertain, change.isIn != now.contains(pair) {
        throw fail(
          "\(pair.member) was \(change.isIn ? "put into" : "taken out of") \(pair.link) of \(pair.owner) in vain")
      }
    }
  }

  private func checkOrder(_ place: ListPlace, _ assigned: ListWork.Assigned) throws {
    guard after.isThere(place.owner), let now = after.sequences[place] else { return }
    let was = before.sequences[place] ?? []
    func fail(_ what: String) -> Failure {
      self.fail("\(place.link) of \(place.owner) was \(was), was set to \(assigned.list) and is \(now): \(what)")
    }
    // Of a member that both have moved the policy says whose it is.
    let mayGiveWay = place.link.isOneToMany && policy != .mergeByPropertyObjectTrump
    if assigned.isAll, assigned.isFresh, !mayGiveWay, lists[place, default: 0] <= assigned.synced {
      if now != assigned.list.filter(after.isThere) { throw fail("nobody else has changed it") }
    }
    // What both have moved has no order that all would call right.
    guard assigned.isAll, !assigned.isMoved else { return }
    let added = Set(
      assigned.list.filter { member in
        place.link.isOneToMany
          ? work.moves[ListWork.Member(link: place.link, id: member)] != nil
          : work.pairs[ListPair(place.link, place.owner, member)] != nil
      })
    let kept = Set(now).intersection(was).subtracting(added)
    if now.filter(kept.contains) != was.filter(kept.contains) { throw fail("nothing was moved here") }
  }
}
