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
    guard let inverse = link.inverse else {
      things[owner]?.ones[link] = new
      return
    }
    if inverse.isMany {
      things[owner]?.ones[link] = new
      if let old { leave(old, inverse, owner) }
      if let new { join(new, inverse, owner) }
      return
    }
    if let new, let rival = things[new]?.ones[inverse], rival != owner { things[rival]?.ones[link] = nil }
    if let old { things[old]?.ones[inverse] = nil }
    things[owner]?.ones[link] = new
    if let new { things[new]?.ones[inverse] = owner }
  }

  mutating func setMany(_ owner: Int, _ link: HistoryLink, _ wanted: [Int]) {
    var seen: Set<Int> = []
    let new = wanted.filter { seen.insert($0).inserted }
    let old = things[owner]?.list(link) ?? []
    if let inverse = link.inverse {
      for member in old where !seen.contains(member) {
        if inverse.isMany { leave(member, inverse, owner) } else { things[member]?.ones[inverse] = nil }
      }
      for member in new where !old.contains(member) {
        if inverse.isMany {
          join(member, inverse, owner)
        } else {
          if let former = things[member]?.ones[inverse] { leave(former, link, member) }
          things[member]?.ones[inverse] = owner
        }
      }
    }
    things[owner]?.manys[link] = new
  }

  private mutating func leave(_ owner: Int, _ link: HistoryLink, _ member: Int) {
    things[owner]?.manys[link]?.removeAll { $0 == member }
  }

  private mutating func join(_ owner: Int, _ link: HistoryLink, _ member: Int) {
    if things[owner]?.list(link).contains(member) == false { things[owner]?.manys[link, default: []].append(member) }
  }

  // MARK: - Deleting

  mutating func delete(_ roots: [Int]) {
    var waiting = roots
    while let id = waiting.popLast() {
      guard let thing = things.removeValue(forKey: id) else { continue }
      for link in thing.kind.links {
        let others = link.isMany ? thing.list(link) : thing.ones[link].map { [$0] } ?? []
        if link.rule == .cascade { waiting += others }
        // What must not lose its reference keeps it, and speaks against the save.
        guard let inverse = link.inverse, link.rule != .deny else { continue }
        for other in others {
          if inverse.isMany {
            leave(other, inverse, id)
          } else if inverse.isOptional {
            if things[other]?.ones[inverse] == id { things[other]?.ones[inverse] = nil }
          }
        }
      }
      for link in HistoryLink.allCases where link.inverse == nil && link.target == thing.kind {
        for other in all(link.owner) {
          if link.isMany {
            leave(other, link, id)
          } else if things[other]?.ones[link] == id {
            things[other]?.ones[link] = nil
          }
        }
      }
    }
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

  mutating func save() { saved = things }
  mutating func rollback() { things = saved }
}
