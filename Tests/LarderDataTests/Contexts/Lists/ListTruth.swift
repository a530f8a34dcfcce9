/// Two things of which one is in the other's list, whichever end one looks at.
struct ListPair: Hashable {
  let link: ListLink
  let owner: Int
  let member: Int

  init(_ link: ListLink, _ owner: Int, _ member: Int) {
    switch link {
    case .pins: (self.link, self.owner, self.member) = (.pinned, member, owner)
    case .likes: (self.link, self.owner, self.member) = (.likes, min(owner, member), max(owner, member))
    default: (self.link, self.owner, self.member) = (link, owner, member)
    }
  }
}

/// A list of one thing.
struct ListPlace: Hashable {
  let link: ListLink
  let owner: Int
}

/// What is stored of lists: sets of pairs, an owner of each member of one to many, and sequences.
struct ListTruth {
  var cards: Set<Int> = []
  var boards: Set<Int> = []
  var sequences: [ListPlace: [Int]] = [:]

  func isThere(_ id: Int) -> Bool { cards.contains(id) || boards.contains(id) }

  var pairs: Set<ListPair> {
    var pairs: Set<ListPair> = []
    for (place, members) in sequences where !place.link.isOneToMany {
      for member in members { pairs.insert(ListPair(place.link, place.owner, member)) }
    }
    return pairs
  }

  func owners(_ link: ListLink) -> [Int: Int] {
    var owners: [Int: Int] = [:]
    for (place, members) in sequences where place.link == link {
      for member in members { owners[member] = place.owner }
    }
    return owners
  }
}

/// What a context has changed of lists since its last save, as differences, and what it was shown.
struct ListWork {
  /// A change of the owner that a member of one to many has.
  struct Move {
    /// nil where it was taken out.
    var to: Int?
    /// The owners that it was taken from.
    var from: Set<Int>
    /// Whether it was made at the member's own end.
    var isLed: Bool
    /// Whether nothing but it decides. Where others have made the same change, or it has taken itself back, either is right.
    var isCertain: Bool
    /// Whether it was changed before. Others may have changed it between the two.
    var isAgain: Bool
    /// What was certainly known when it was changed first.
    var synced: Int
    /// Where it was led before. Where the store wins, one that is led to what others have deleted stays there.
    var before: Int?
  }

  struct Member: Hashable {
    let link: ListLink
    let id: Int
  }

  struct Change {
    var isIn: Bool
    var isCertain: Bool
    /// What was certainly known when it was changed first.
    var synced: Int
  }

  struct Assigned {
    var list: [Int]
    /// Whether something has been moved in it, and may be where it was by now, or has left it and come back.
    var isMoved: Bool
    /// Whether nothing else of this context has changed the list.
    var isAll: Bool
    /// What was certainly known when it was set first, and whether the program was shown what was stored then.
    var synced: Int
    var isFresh: Bool
  }

  var moves: [Member: Move] = [:]
  var pairs: [ListPair: Change] = [:]
  var assigned: [ListPlace: Assigned] = [:]
  var shown: [ListPlace: [Int]] = [:]
  /// Up to which save it certainly knows what others have saved.
  var synced = 0

  mutating func end(at save: Int) {
    moves = [:]
    pairs = [:]
    assigned = [:]
    synced = save
  }

  /// A list was set.
  mutating func assign(_ list: [Int], to place: ListPlace, _ truth: ListTruth) {
    let before = shown[place] ?? []
    let (old, new) = (Set(before), Set(list))
    // One that has left it for another list, and comes back, has moved.
    let isBack = list.contains { member in
      !old.contains(member)
        && (moves[Member(link: place.link, id: member)]?.from.contains(place.owner) == true
          || pairs[ListPair(place.link, place.owner, member)] != nil)
    }
    let (isFresh, isFirst) = (truth.sequences[place] == before, !isChanged(place))
    for member in before where !new.contains(member) { take(member, place, truth) }
    for member in list where !old.contains(member) { put(member, place, truth) }
    let isMoved = isBack || before.filter(new.contains) != list.filter(old.contains)
    let known = assigned[place]
    assigned[place] = Assigned(
      list: list, isMoved: isMoved || known?.isMoved == true, isAll: known?.isAll ?? isFirst,
      synced: known?.synced ?? synced, isFresh: known?.isFresh ?? isFresh)
    shown[place] = list
  }

  /// Whether a list was changed here at other ends: what left it by these and came back has moved.
  private func isChanged(_ place: ListPlace) -> Bool {
    guard !place.link.isOneToMany else {
      return moves.contains { key, move in
        key.link == place.link && (move.to == place.owner || move.from.contains(place.owner))
      }
    }
    return pairs.keys.contains { pair in
      [pair.owner, pair.member].contains { pair == ListPair(place.link, place.owner, $0) }
    }
  }

  /// A list was set whose owner others have deleted: members that were led to it, and are taken out, are not led there any more.
  mutating func takeBack(_ list: [Int], from place: ListPlace) {
    for member in Set(shown[place] ?? []).subtracting(list) {
      let key = Member(link: place.link, id: member)
      guard moves[key]?.to == place.owner else { continue }
      moves[key]?.to = nil
      moves[key]?.isCertain = false
    }
    shown[place] = list
  }

  private mutating func put(_ member: Int, _ place: ListPlace, _ truth: ListTruth) {
    guard place.link.isOneToMany else { return change(member, place, true, truth) }
    let key = Member(link: place.link, id: member)
    let owner = truth.owners(place.link)[member]
    moves[key] = Move(
      to: place.owner, from: (moves[key]?.from ?? []).union(owner.map { [$0] } ?? []),
      isLed: moves[key]?.isLed ?? false,
      isCertain: owner != place.owner && moves[key] == nil, isAgain: moves[key] != nil,
      synced: moves[key]?.synced ?? synced)
    leaveOthers(member, place)
  }

  private mutating func take(_ member: Int, _ place: ListPlace, _ truth: ListTruth) {
    guard place.link.isOneToMany else { return change(member, place, false, truth) }
    let key = Member(link: place.link, id: member)
    // Where it was put elsewhere before, the list has shown it since, as the others' that have moved it: "a difference against
    // the list that it was shown last".
    let former = moves[key]
    moves[key] = Move(
      to: nil, from: (former?.from ?? []).union([place.owner]), isLed: former?.isLed ?? false,
      isCertain: former == nil && truth.owners(place.link)[member] == place.owner, isAgain: former != nil,
      synced: former?.synced ?? synced)
  }

  /// An owner was deleted: its members are in no list by that, whatever they were shown in, as the delete rule says. Where others
  /// have moved one meanwhile it is theirs ("A member that was taken out of a list here and put into another elsewhere stays in
  /// that"), unless the policy has the row become what it is here ("`overwrite` writes all attributes").
  mutating func delete(_ owner: Int, _ truth: ListTruth) {
    for link in ListLink.allCases where link.isOneToMany {
      let place = ListPlace(link: link, owner: owner)
      let led = moves.filter { $0.key.link == link && $0.value.to == owner }.map(\.key.id)
      let stored = (truth.sequences[place] ?? []).filter { moves[Member(link: link, id: $0)] == nil }
      for member in stored + led { take(member, place, truth) }
    }
  }

  private mutating func change(_ member: Int, _ place: ListPlace, _ isIn: Bool, _ truth: ListTruth) {
    let pair = ListPair(place.link, place.owner, member)
    pairs[pair] = Change(
      isIn: isIn, isCertain: pairs[pair] == nil && truth.pairs.contains(pair) != isIn,
      synced: pairs[pair]?.synced ?? synced)
    guard let other = place.link.other else { return }
    let end = ListPlace(link: other, owner: member)
    shown[end]?.removeAll { $0 == place.owner }
    if isIn { shown[end]?.append(place.owner) }
    assigned[end]?.isAll = false
  }

  /// A member was given an owner at its own end.
  ///
  /// Where others have given it that owner already, nothing is changed: "Assigning a value equal to the present one is no change",
  /// and what others have saved is taken over before.
  mutating func lead(_ member: Int, to place: ListPlace?, _ link: ListLink, _ truth: ListTruth) {
    let key = Member(link: link, id: member)
    // Where others have moved it since it was taken out here, it was theirs before.
    let isTheirs = moves[key].map { $0.to == nil && !$0.isCertain } ?? true
    let owner = truth.owners(link)[member]
    let isChange = !isTheirs || owner != place?.owner
    // Where it is led away from a list, and put into that again, it has moved there.
    moves[key] = Move(
      to: place?.owner, from: (moves[key]?.from ?? []).union(owner.map { [$0] } ?? []), isLed: true,
      isCertain: isChange, isAgain: moves[key] != nil,
      synced: moves[key]?.synced ?? synced, before: moves[key]?.to)
    leaveOthers(member, place ?? ListPlace(link: link, owner: -1))
    guard let place else { return }
    shown[place]?.removeAll { $0 == member }
    shown[place]?.append(member)
    assigned[place]?.isAll = false
  }

  private mutating func leaveOthers(_ member: Int, _ place: ListPlace) {
    for other in shown.keys where other.link == place.link && other != place {
      shown[other]?.removeAll { $0 == member }
    }
    for other in assigned.keys where other.link == place.link && other != place { assigned[other]?.isAll = false }
  }

  /// Others have saved.
  mutating func othersSaved(_ before: ListTruth, _ after: ListTruth) {
    let changed = before.pairs.symmetricDifference(after.pairs)
    for pair in pairs.keys where changed.contains(pair) { pairs[pair]?.isCertain = false }
    for key in moves.keys {
      let (was, now) = (before.owners(key.link)[key.id], after.owners(key.link)[key.id])
      if was != now, moves[key]?.to == nil || moves[key]?.to == now { moves[key]?.isCertain = false }
    }
  }
}
