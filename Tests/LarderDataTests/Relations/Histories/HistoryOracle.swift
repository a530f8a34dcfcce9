/// What a context should hold, in plain dictionaries: it knows inverses, orders and delete rules, and nothing of how
/// they are kept.
struct HistoryOracle {
  struct Thing: Equatable {
    var kind: HistoryKind
    var number: Int
    var ones: [HistoryLink: Int] = [:]
    var manys: [HistoryLink: [Int]] = [:]

    func list(_ link: HistoryLink) -> [Int] { manys[link] ?? [] }
  }

  /// What is there, by numbers of the history's own.
  private(set) var things: [Int: Thing] = [:]
  private(set) var saved: [Int: Thing] = [:]
  /// Things of the store whose deletion is pending, as they were, and what has to be done when they are back.
  private var buried: [Int: Buried] = [:]

  /// To-ones that were set since they lost what a deletion took.
  private var settled: Set<End> = []
  /// Lists of which only the members are foretold.
  private var unordered: Set<End> = []

  private struct End: Hashable {
    var id: Int
    var link: HistoryLink
  }

  private struct Reference {
    var holder: Int
    var link: HistoryLink
    var target: Int
  }

  private struct Buried {
    var thing: Thing
    /// What was deleted along with it.
    var victims: [Int] = []
    /// What is related again.
    var references: [Reference] = []
  }

  subscript(id: Int) -> Thing? { things[id] }

  func isAlive(_ id: Int, _ kind: HistoryKind) -> Bool { things[id]?.kind == kind }
  func all(_ kind: HistoryKind) -> [Int] { things.filter { $0.value.kind == kind }.map(\.key).sorted() }

  mutating func insert(_ id: Int, _ kind: HistoryKind, _ number: Int) {
    things[id] = Thing(kind: kind, number: number)
  }

  mutating func setNumber(_ id: Int, _ number: Int) { things[id]?.number = number }

  // MARK: - Relating

  mutating func setOne(_ owner: Int, _ link: HistoryLink, _ new: Int?) {
    let old = things[owner]?.ones[link]
    guard old != new else { return }
    guard let inverse = link.inverse else { return lead(owner, link, new) }
    if inverse.isMany {
      lead(owner, link, new)
      if let old { leaveForGood(old, inverse, owner) }
      if let new { join(new, inverse, owner) }
      return
    }
    if let new, let rival = things[new]?.ones[inverse], rival != owner { lead(rival, link, nil) }
    if let old { lead(old, inverse, nil) }
    lead(owner, link, new)
    if let new { lead(new, inverse, owner) }
  }

  /// - Parameter isWhole: Whether the order is all that somebody asked for.
  mutating func setMany(_ owner: Int, _ link: HistoryLink, _ wanted: [Int], isWhole: Bool = true) {
    var seen: Set<Int> = []
    let new = wanted.filter { seen.insert($0).inserted }
    let old = things[owner]?.list(link) ?? []
    if let inverse = link.inverse {
      for member in old where !seen.contains(member) {
        if inverse.isMany { leave(member, inverse, owner) } else { lead(member, inverse, nil) }
      }
      for member in new where !old.contains(member) {
        if inverse.isMany {
          join(member, inverse, owner)
        } else {
          if let former = things[member]?.ones[inverse] { leaveForGood(former, link, member) }
          lead(member, inverse, owner)
        }
      }
    }
    if isWhole { unordered.remove(End(id: owner, link: link)) }
    things[owner]?.manys[link] = new
  }

  /// Somebody has a to-one lead elsewhere.
  private mutating func lead(_ id: Int, _ link: HistoryLink, _ new: Int?) {
    guard things[id]?.ones[link] != new else { return }
    things[id]?.ones[link] = new
    settled.insert(End(id: id, link: link))
  }

  /// A deletion, or one that is taken back, has it lead elsewhere.
  private mutating func follow(_ id: Int, _ link: HistoryLink, _ new: Int?) {
    guard things[id]?.ones[link] != new else { return }
    things[id]?.ones[link] = new
    settled.remove(End(id: id, link: link))
  }

  private mutating func leave(_ owner: Int, _ link: HistoryLink, _ member: Int) {
    things[owner]?.manys[link]?.removeAll { $0 == member }
  }

  /// One that is deleted, too, is not to have the member again.
  private mutating func leaveForGood(_ owner: Int, _ link: HistoryLink, _ member: Int) {
    leave(owner, link, member)
    buried[owner]?.thing.manys[link]?.removeAll { $0 == member }
  }

  private mutating func join(_ owner: Int, _ link: HistoryLink, _ member: Int) {
    if things[owner]?.list(link).contains(member) == false { things[owner]?.manys[link, default: []].append(member) }
  }

  // MARK: - Deleting

  mutating func delete(_ roots: [Int]) {
    // What is meant is no consequence of anything.
    let meant = Set(roots)
    for id in roots { insist(on: id) }
    var waiting = roots
    while let id = waiting.popLast() {
      guard let thing = things.removeValue(forKey: id) else { continue }
      if saved[id] != nil { buried[id] = Buried(thing: thing) }
      for link in thing.kind.links {
        let others = link.isMany ? thing.list(link) : thing.ones[link].map { [$0] } ?? []
        if link.rule == .cascade {
          waiting += others
          buried[id]?.victims += others.filter { !meant.contains($0) && things[$0] != nil }
        }
        // What must not lose its reference keeps it, and speaks against the save.
        guard let inverse = link.inverse, link.rule != .deny else { continue }
        for other in others {
          if inverse.isMany {
            leave(other, inverse, id)
          } else if inverse.isOptional {
            if things[other]?.ones[inverse] == id {
              follow(other, inverse, nil)
              buried[id]?.references.append(Reference(holder: other, link: inverse, target: id))
            }
          }
        }
      }
      for link in HistoryLink.allCases where link.inverse == nil && link.target == thing.kind {
        for other in all(link.owner) {
          if link.isMany {
            if things[other]?.list(link).contains(id) == true {
              buried[id]?.references.append(Reference(holder: other, link: link, target: id))
            }
            leave(other, link, id)
          } else if things[other]?.ones[link] == id {
            follow(other, link, nil)
            buried[id]?.references.append(Reference(holder: other, link: link, target: id))
          }
        }
      }
    }
  }

  // MARK: - Taking a deletion back

  /// Somebody deletes what is deleted already: it does not come back with another.
  mutating func insist(on id: Int) {
    for other in buried.keys { buried[other]?.victims.removeAll { $0 == id } }
  }

  /// What can be taken back.
  var dead: [Int] { buried.keys.sorted() }

  /// Whether it can, and what is back with it is foretold. That is not so of what two deletions at once had deleted, as
  /// those of two coaches with the same apprentice.
  func canRecall(_ id: Int) -> Bool {
    guard let kind = buried[id]?.thing.kind else { return false }
    if kind == .coach, buried.values.filter({ $0.thing.kind == .coach }).count > 1 { return false }
    var back: Set<Int> = []
    var waiting = [id]
    while let next = waiting.popLast() { if back.insert(next).inserted { waiting += buried[next]?.victims ?? [] } }
    return !buried.contains { !back.contains($0.key) && !back.isDisjoint(with: $0.value.victims) }
  }

  /// - Returns: The things that are back.
  mutating func recall(_ root: Int) -> [Int] {
    var back: [Int] = []
    var references: [Reference] = []
    var waiting = [root]
    while let id = waiting.popLast() {
      guard let grave = buried.removeValue(forKey: id) else { continue }
      insist(on: id)
      things[id] = grave.thing
      back.append(id)
      waiting += grave.victims
      references += grave.references
    }
    for reference in references { relate(reference) }
    for id in back {
      for link in things[id]?.kind.links ?? [] {
        if link.isMany { unordered.insert(End(id: id, link: link)) }
        recall(link, of: id)
      }
    }
    return back
  }

  private mutating func recall(_ link: HistoryLink, of id: Int) {
    guard let thing = things[id] else { return }
    let others = link.isMany ? thing.list(link) : thing.ones[link].map { [$0] } ?? []
    for other in others {
      if things[other] == nil {
        // One that forbids the deletion goes on doing so.
        if link.isMany || (link.isOptional && link.inverse?.rule != .deny) { part(id, link, other) }
        buried[other]?.references.append(Reference(holder: id, link: link, target: other))
      } else if !relate(Reference(holder: id, link: link, target: other)) {
        part(id, link, other)
      }
    }
  }

  private mutating func part(_ id: Int, _ link: HistoryLink, _ other: Int) {
    if link.isMany { leave(id, link, other) } else { follow(id, link, nil) }
  }

  @discardableResult
  private mutating func relate(_ reference: Reference) -> Bool {
    let (holder, link, target) = (reference.holder, reference.link, reference.target)
    for id in [holder, target] where things[id] == nil {
      buried[id]?.references.append(reference)
      return true
    }
    func isFree(_ id: Int, _ link: HistoryLink, _ other: Int) -> Bool {
      link.isMany || things[id]?.ones[link] == other
        || (things[id]?.ones[link] == nil && !settled.contains(End(id: id, link: link)))
    }
    guard isFree(holder, link, target), link.inverse.map({ isFree(target, $0, holder) }) ?? true else { return false }
    for (id, link, other) in [(holder, link, target)] + (link.inverse.map { [(target, $0, holder)] } ?? []) {
      if link.isMany { join(id, link, other) } else { follow(id, link, other) }
      if link.isMany { unordered.insert(End(id: id, link: link)) }
    }
    return true
  }

  /// Whether only the members of a list are foretold, because some of them are back.
  func isUnordered(_ owner: Int, _ link: HistoryLink) -> Bool { unordered.contains(End(id: owner, link: link)) }

  mutating func setOrder(_ owner: Int, _ link: HistoryLink, _ members: [Int]) {
    things[owner]?.manys[link] = members
    unordered.remove(End(id: owner, link: link))
  }

  /// What keeps a save from being done: references to what is deleted, and such as must be there and are not.
  var obstacles: [(id: Int, link: HistoryLink)] {
    things.keys.sorted().flatMap { id in
      (things[id]?.kind.links ?? []).compactMap { link in
        if link.isMany { return nil }
        guard let target = things[id]?.ones[link] else { return link.isOptional ? nil : (id, link) }
        return things[target] == nil ? (id, link) : nil
      }
    }
  }

  // MARK: - Saving

  mutating func save() {
    saved = things
    settleAll()
  }

  /// All orders are known by now.
  mutating func foundSaved() { saved = things }

  mutating func rollback() {
    things = saved
    unordered = []
    settleAll()
  }

  /// What is there is as it was another time; what is saved stays so.
  mutating func become(_ other: HistoryOracle) {
    things = other.things
    unordered = []
    settleAll()
  }

  private mutating func settleAll() {
    buried = [:]
    settled = []
  }
}
