import LarderSupport

/// What a program was shown of to-manys that hold something else by now, as rows.
///
/// What it assigns to one is a difference against that. Most lists hold what was shown, and have no entry here; one begins
/// where a list is given what others have made of it, or is let go, and ends with the next look at the list.
///
/// A list that has an entry and is in memory is marked as ``ToManyKey/unseen``.
struct ShownLists {
  private struct Place: Hashable {
    let row: Int64
    let property: Int
  }

  private struct Shown {
    var rows: RowSequence
    /// How many members the program had put somewhere when the entry began.
    let since: Int
  }

  /// Where the program has put a member of one to many, and when.
  private struct Placing {
    var owner: Int64
    let time: Int
  }

  private var lists: [Place: Shown] = [:]
  /// By the member's row and the property of the lists: it is in one of them only, so it counts as shown in no other.
  private var placed: [Place: Placing] = [:]
  private var time = 0
  /// With how many entries those are looked for whose objects have gone, and members that are in none.
  private var limit = ShownLists.least
  private var placedLimit = ShownLists.least
  private static let least = 64

  var isEmpty: Bool { lists.isEmpty }

  func has(_ row: Int64, _ property: Int) -> Bool { lists[Place(row: row, property: property)] != nil }

  subscript(row: Int64, property: Int) -> [Int64]? {
    guard let shown = lists[Place(row: row, property: property)] else { return nil }
    if placed.isEmpty { return shown.rows.elements }
    return shown.rows.elements.filter { member in
      guard let placing = placed[Place(row: member, property: property)] else { return true }
      return placing.owner == row || placing.time <= shown.since
    }
  }

  /// - Parameter isAlive: Whether a row's object is in memory.
  mutating func note(_ shown: [Int64], _ row: Int64, _ property: Int, _ isAlive: (Int64) -> Bool) {
    if lists.count >= limit {
      lists = lists.filter { isAlive($0.key.row) }
      limit = max(ShownLists.least, lists.count * 2)
    }
    lists[Place(row: row, property: property)] = Shown(rows: RowSequence(once: shown), since: time)
  }

  /// A member comes, at the end, in the program's hands.
  mutating func join(_ member: Int64, _ row: Int64, _ property: Int) {
    let place = Place(row: row, property: property)
    if lists[place] == nil { return }
    lists[place]?.rows.append(member)
    if placed[Place(row: member, property: property)] != nil { self.place(member, property, in: row) }
  }

  /// A member goes in the program's hands.
  mutating func leave(_ member: Int64, _ row: Int64, _ property: Int) {
    lists[Place(row: row, property: property)]?.rows.remove(member)
  }

  /// Members come or go in the program's hands.
  mutating func change(_ row: Int64, _ property: Int, _ change: (inout [Int64]) -> Void) {
    let place = Place(row: row, property: property)
    guard let shown = self[row, property], let since = lists[place]?.since else { return }
    var rows = shown
    change(&rows)
    lists[place] = Shown(rows: RowSequence(rows), since: since)
    for member in rows where placed[Place(row: member, property: property)] != nil {
      self.place(member, property, in: row)
    }
  }

  /// The program has put a member of one to many into a list, or, with 0, into none.
  mutating func place(_ member: Int64, _ property: Int, in owner: Int64) {
    if lists.isEmpty { return }
    if placed.count >= placedLimit {
      var present: Set<Place> = []
      for (place, shown) in lists {
        for row in shown.rows.elements { present.insert(Place(row: row, property: place.property)) }
      }
      placed = placed.filter { present.contains($0.key) }
      placedLimit = max(ShownLists.least, (placed.count + present.count) * 2)
    }
    time += 1
    placed[Place(row: member, property: property)] = Placing(owner: owner, time: time)
  }

  mutating func forget(_ row: Int64, _ property: Int) {
    lists[Place(row: row, property: property)] = nil
    if lists.isEmpty { placed = [:] }
  }

  mutating func removeAll() {
    lists = [:]
    placed = [:]
  }

  /// Rows have other numbers from now on.
  ///
  /// - Parameters:
  ///   - isOwner: Whether they are those of objects that have the lists.
  ///   - isMember: Whether they are those of the objects in a property's list.
  mutating func rename(_ renamed: [Int64: Int64], isOwner: Bool, isMember: (Int) -> Bool) {
    func owner(_ row: Int64) -> Int64 { isOwner ? renamed[row] ?? row : row }
    func member(_ row: Int64, _ property: Int) -> Int64 { isMember(property) ? renamed[row] ?? row : row }
    let (former, formerlyPlaced) = (lists, placed)
    lists = [:]
    placed = [:]
    for (place, shown) in former {
      let rows = RowSequence(once: shown.rows.elements.map { member($0, place.property) })
      lists[Place(row: owner(place.row), property: place.property)] = Shown(rows: rows, since: shown.since)
    }
    for (place, placing) in formerlyPlaced {
      placed[Place(row: member(place.row, place.property), property: place.property)] =
        Placing(owner: owner(placing.owner), time: placing.time)
    }
  }
}

extension EntityState {
  /// What the program was shown of a to-many; nil where it was shown nothing.
  func shownRows(of owner: any PersistentModel, _ relation: RelationLayout) -> [Int64]? {
    if !shownLists.isEmpty, let shown = shownLists[owner._$header.pointee.rowID, relation.property] { return shown }
    return owner.rows(in: relation.property)
  }

  /// Notes what the program was shown of a to-many that is in memory, before it is given what others have made of it.
  func noteShown(_ owner: any PersistentModel, _ property: Int) {
    let row = owner._$header.pointee.rowID
    guard !core.isOrphan, !shownLists.has(row, property), let shown = owner.rows(in: property) else { return }
    note(shown, row, property)
  }

  private func note(_ shown: [Int64], _ row: Int64, _ property: Int) {
    core.relationMarks.hasShownLists = true
    shownLists.note(shown, row, property, hasInstance)
  }

  /// Notes what the program was shown of a to-many from which others have moved a member, and which is read anew when it is
  /// next asked for.
  func noteShownBeforeMove(_ owner: any PersistentModel, _ property: Int) {
    let loaded = owner._$key(property)
    guard loaded != 0, !shownLists.has(owner._$header.pointee.rowID, property) else { return }
    noteShown(owner, property)
    if core.isOrphan { return }
    owner._$change(property, .current(generation: UInt32(truncatingIfNeeded: loaded) | ToManyKey.unseen))
  }

  /// Members come or go in the program's hands.
  @inline(__always)
  func changeShown(
    _ owner: any PersistentModel, _ relation: RelationLayout, _ change: (inout [Int64]) -> Void
  ) {
    if !shownLists.isEmpty { shownLists.change(owner._$header.pointee.rowID, relation.property, change) }
  }

  /// Members come, at the end, in the program's hands.
  @inline(__always)
  func joinShown(_ owner: any PersistentModel, _ relation: RelationLayout, _ members: [any PersistentModel]) {
    if shownLists.isEmpty { return }
    let row = owner._$header.pointee.rowID
    for member in members { shownLists.join(member._$header.pointee.rowID, row, relation.property) }
  }

  /// Members go in the program's hands.
  @inline(__always)
  func leaveShown(_ owner: any PersistentModel, _ relation: RelationLayout, _ members: [any PersistentModel]) {
    if shownLists.isEmpty { return }
    let row = owner._$header.pointee.rowID
    for member in members { shownLists.leave(member._$header.pointee.rowID, row, relation.property) }
  }

  /// The program has set a to-many.
  ///
  /// - Parameters:
  ///   - shown: What to.
  ///   - result: What it holds by that.
  /// - Returns: How it is marked.
  func setShown(
    _ owner: any PersistentModel, _ property: Int, _ shown: [Int64], holding result: [Int64]
  ) -> UInt32 {
    let row = owner._$header.pointee.rowID
    if shown == result {
      if !shownLists.isEmpty { shownLists.forget(row, property) }
      return core.relationMarks.generation
    }
    note(shown, row, property)
    return core.relationMarks.generation | ToManyKey.unseen
  }

  /// The program looks at a to-many.
  func show(_ owner: any PersistentModel, _ property: Int) {
    if !shownLists.isEmpty { shownLists.forget(owner._$header.pointee.rowID, property) }
    // Without its context a list that leads back is given out and not kept.
    if owner._$key(property) != 0, !core.isOrphan {
      owner._$change(property, .current(generation: core.relationMarks.generation))
    }
  }

  /// How a to-many is marked that is as others have left it.
  ///
  /// - Parameter rows: What it holds.
  func mark(_ owner: any PersistentModel, _ property: Int, holding rows: @autoclosure () -> [Int64]) -> UInt32 {
    let generation = core.relationMarks.generation
    let row = owner._$header.pointee.rowID
    guard !shownLists.isEmpty, let shown = shownLists[row, property] else { return generation }
    if shown == rows() {
      shownLists.forget(row, property)
      return generation
    }
    return generation | ToManyKey.unseen
  }

  /// Has a to-many loaded anew when it is next asked for.
  func unloadShown(_ owner: any PersistentModel, _ property: Int) {
    noteShown(owner, property)
    owner._$change(property, .objects(nil, generation: 0))
  }

  /// Has a to-many loaded anew when it is next asked for, with members that are in it again because a deletion is taken back
  /// here: they count as shown, as all does that the program does itself.
  func unloadShown(_ owner: any PersistentModel, _ relation: RelationLayout, returned: [any PersistentModel]) {
    unloadShown(owner, relation.property)
    changeShown(owner, relation) { shown in
      let known = Set(shown)
      shown += returned.rows.filter { !known.contains($0) }
    }
  }
}

extension [any PersistentModel] {
  /// The rows of objects.
  var rows: [Int64] { map { $0._$header.pointee.rowID } }
}
