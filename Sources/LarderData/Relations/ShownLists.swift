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

  private var lists: [Place: [Int64]] = [:]
  /// With how many entries those are looked for whose objects have gone.
  private var limit = ShownLists.least
  private static let least = 64

  var isEmpty: Bool { lists.isEmpty }

  subscript(row: Int64, property: Int) -> [Int64]? { lists[Place(row: row, property: property)] }

  /// - Parameter isAlive: Whether a row's object is in memory.
  mutating func note(_ shown: [Int64], _ row: Int64, _ property: Int, _ isAlive: (Int64) -> Bool) {
    if lists.count >= limit {
      lists = lists.filter { isAlive($0.key.row) }
      limit = max(ShownLists.least, lists.count * 2)
    }
    lists[Place(row: row, property: property)] = shown
  }

  /// A member comes or goes in the program's hands.
  mutating func change(_ row: Int64, _ property: Int, _ change: (inout [Int64]) -> Void) {
    let place = Place(row: row, property: property)
    if lists[place] != nil { change(&lists[place, default: []]) }
  }

  mutating func forget(_ row: Int64, _ property: Int) { lists[Place(row: row, property: property)] = nil }

  mutating func removeAll() { lists = [:] }

  /// Rows have other numbers from now on.
  ///
  /// - Parameters:
  ///   - isOwner: Whether they are those of objects that have the lists.
  ///   - isMember: Whether they are those of the objects in a property's list.
  mutating func rename(_ renamed: [Int64: Int64], isOwner: Bool, isMember: (Int) -> Bool) {
    let former = lists
    lists = [:]
    for (place, list) in former {
      let row = isOwner ? renamed[place.row] ?? place.row : place.row
      lists[Place(row: row, property: place.property)] =
        isMember(place.property) ? list.map { renamed[$0] ?? $0 } : list
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
    guard !core.isOrphan, shownLists[row, property] == nil, let shown = owner.rows(in: property) else { return }
    shownLists.note(shown, row, property, hasInstance)
  }

  /// A member comes or goes in the program's hands.
  @inline(__always)
  func changeShown(
    _ owner: any PersistentModel, _ relation: RelationLayout, _ change: (inout [Int64]) -> Void
  ) {
    if !shownLists.isEmpty { shownLists.change(owner._$header.pointee.rowID, relation.property, change) }
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
    shownLists.note(shown, row, property, hasInstance)
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
