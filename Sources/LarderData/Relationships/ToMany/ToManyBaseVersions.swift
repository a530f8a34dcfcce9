import LarderSupport

/// The members that the program was shown of to-manys whose content has changed since, as row IDs.
///
/// A list that the program assigns is a difference to these. Most lists hold the members that were shown, and have no entry
/// here. An entry begins when a list gets other contexts' changes, or is unloaded, and ends with the next access to the list.
///
/// A list that has an entry and is in memory is marked with ``_ToManyKey/unreadFlag``.
struct ToManyBaseVersions {
  private struct Key: Hashable {
    let row: Int64
    let property: Int
  }

  private struct Base {
    var rows: OrderedRowSet
    /// The number of memberships that the program had set when the entry began.
    let recordedAt: Int
  }

  /// The list into which the program moved a member of a one-to-many relationship, and when.
  private struct Membership {
    var owner: Int64
    let time: Int
  }

  private var bases: [Key: Base] = [:]
  /// The memberships by the member's row and the lists' property: a member is in only one list, so it is shown in no other.
  private var memberships: [Key: Membership] = [:]
  private var clock = 0
  /// The number of entries at which those of released objects, and memberships in no entry, are removed.
  private var pruningThreshold = ToManyBaseVersions.minimumPruningThreshold
  private var membershipPruningThreshold = ToManyBaseVersions.minimumPruningThreshold
  private static let minimumPruningThreshold = 64

  var isEmpty: Bool { bases.isEmpty }

  func contains(_ row: Int64, _ property: Int) -> Bool { bases[Key(row: row, property: property)] != nil }

  subscript(row: Int64, property: Int) -> [Int64]? {
    guard let shown = bases[Key(row: row, property: property)] else { return nil }
    if memberships.isEmpty { return shown.rows.elements }
    return shown.rows.elements.filter { member in
      guard let placing = memberships[Key(row: member, property: property)] else { return true }
      return placing.owner == row || placing.time <= shown.recordedAt
    }
  }

  /// Records the members of a list that the program was shown.
  ///
  /// - Parameter isAlive: Whether a row's object is in memory.
  mutating func record(_ shown: [Int64], _ row: Int64, _ property: Int, _ isAlive: (Int64) -> Bool) {
    if bases.count >= pruningThreshold {
      bases = bases.filter { isAlive($0.key.row) }
      pruningThreshold = max(ToManyBaseVersions.minimumPruningThreshold, bases.count * 2)
    }
    bases[Key(row: row, property: property)] = Base(rows: OrderedRowSet(uniquing: shown), recordedAt: clock)
  }

  /// Appends a member that the program has added.
  mutating func append(_ member: Int64, _ row: Int64, _ property: Int) {
    let place = Key(row: row, property: property)
    if bases[place] == nil { return }
    bases[place]?.rows.append(member)
    if memberships[Key(row: member, property: property)] != nil { self.recordMembership(member, property, in: row) }
  }

  /// Removes a member that the program has removed.
  mutating func remove(_ member: Int64, _ row: Int64, _ property: Int) {
    bases[Key(row: row, property: property)]?.rows.remove(member)
  }

  /// Applies the program's additions and removals.
  mutating func update(_ row: Int64, _ property: Int, _ change: (inout [Int64]) -> Void) {
    let place = Key(row: row, property: property)
    guard let shown = self[row, property], let since = bases[place]?.recordedAt else { return }
    var rows = shown
    change(&rows)
    bases[place] = Base(rows: OrderedRowSet(rows), recordedAt: since)
    for member in rows where memberships[Key(row: member, property: property)] != nil {
      self.recordMembership(member, property, in: row)
    }
  }

  /// Records that the program moved a member of a one-to-many relationship into a list or, if `owner` is 0, into none.
  mutating func recordMembership(_ member: Int64, _ property: Int, in owner: Int64) {
    if bases.isEmpty { return }
    if memberships.count >= membershipPruningThreshold {
      var present: Set<Key> = []
      for (place, shown) in bases {
        for row in shown.rows.elements { present.insert(Key(row: row, property: place.property)) }
      }
      memberships = memberships.filter { present.contains($0.key) }
      membershipPruningThreshold = max(
        ToManyBaseVersions.minimumPruningThreshold, (memberships.count + present.count) * 2)
    }
    clock += 1
    memberships[Key(row: member, property: property)] = Membership(owner: owner, time: clock)
  }

  mutating func removeBase(_ row: Int64, _ property: Int) {
    bases[Key(row: row, property: property)] = nil
    if bases.isEmpty { memberships = [:] }
  }

  mutating func removeAll() {
    bases = [:]
    memberships = [:]
  }

  /// Replaces row IDs.
  ///
  /// - Parameters:
  ///   - isOwner: Whether they belong to the objects that have the lists.
  ///   - isMember: Whether they belong to the objects in a property's list.
  mutating func renumber(_ renamed: [Int64: Int64], isOwner: Bool, isMember: (Int) -> Bool) {
    func owner(_ row: Int64) -> Int64 { isOwner ? renamed[row] ?? row : row }
    func member(_ row: Int64, _ property: Int) -> Int64 { isMember(property) ? renamed[row] ?? row : row }
    let (former, formerlyPlaced) = (bases, memberships)
    bases = [:]
    memberships = [:]
    for (place, shown) in former {
      let rows = OrderedRowSet(uniquing: shown.rows.elements.map { member($0, place.property) })
      bases[Key(row: owner(place.row), property: place.property)] = Base(rows: rows, recordedAt: shown.recordedAt)
    }
    for (place, placing) in formerlyPlaced {
      memberships[Key(row: member(place.row, place.property), property: place.property)] =
        Membership(owner: owner(placing.owner), time: placing.time)
    }
  }
}

extension _EntityTracker {
  /// Returns the members that the program was shown of a to-many; `nil` if it was shown none.
  func baseRows(of owner: any PersistentModel, _ relationship: RelationshipLayout) -> [Int64]? {
    if !lastReadLists.isEmpty, let shown = lastReadLists[owner._$header.pointee.rowID, relationship.property] {
      return shown
    }
    return owner.memberRowIDs(of: relationship.property)
  }

  /// Records the members that the program was shown of a to-many in memory, before it gets other contexts' changes.
  func recordBase(_ owner: any PersistentModel, _ property: Int) {
    let row = owner._$header.pointee.rowID
    guard !core.isOrphaned, !lastReadLists.contains(row, property), let shown = owner.memberRowIDs(of: property) else {
      return
    }
    storeBase(shown, row, property)
  }

  private func storeBase(_ shown: [Int64], _ row: Int64, _ property: Int) {
    core.relationMarks.hasBaseVersions = true
    lastReadLists.record(shown, row, property, hasInstance)
  }

  /// Records the members that the program was shown of a to-many from which another context has moved a member, and which is
  /// reloaded on its next access.
  func recordBaseBeforeReload(_ owner: any PersistentModel, _ property: Int) {
    let loaded = owner._$foreignKey(property)
    guard loaded != 0, !lastReadLists.contains(owner._$header.pointee.rowID, property) else { return }
    recordBase(owner, property)
    if core.isOrphaned { return }
    owner._$applyChange(property, .current(generation: UInt32(truncatingIfNeeded: loaded) | _ToManyKey.unreadFlag))
  }

  /// Applies the program's additions and removals to the base version.
  @inline(__always)
  func updateBase(
    _ owner: any PersistentModel, _ relationship: RelationshipLayout, _ change: (inout [Int64]) -> Void
  ) {
    if !lastReadLists.isEmpty { lastReadLists.update(owner._$header.pointee.rowID, relationship.property, change) }
  }

  /// Appends members that the program has added to the base version.
  @inline(__always)
  func appendToBase(_ owner: any PersistentModel, _ relationship: RelationshipLayout, _ members: [any PersistentModel])
  {
    if lastReadLists.isEmpty { return }
    let row = owner._$header.pointee.rowID
    for member in members { lastReadLists.append(member._$header.pointee.rowID, row, relationship.property) }
  }

  /// Removes members that the program has removed from the base version.
  @inline(__always)
  func removeFromBase(
    _ owner: any PersistentModel, _ relationship: RelationshipLayout, _ members: [any PersistentModel]
  ) {
    if lastReadLists.isEmpty { return }
    let row = owner._$header.pointee.rowID
    for member in members { lastReadLists.remove(member._$header.pointee.rowID, row, relationship.property) }
  }

  /// Records that the program has set a to-many.
  ///
  /// - Parameters:
  ///   - shown: The members that the program assigned.
  ///   - result: The members that the list holds then.
  /// - Returns: The mark of the list.
  func setBase(
    _ owner: any PersistentModel, _ property: Int, _ shown: [Int64], members result: [Int64]
  ) -> UInt32 {
    let row = owner._$header.pointee.rowID
    if shown == result {
      if !lastReadLists.isEmpty { lastReadLists.removeBase(row, property) }
      return core.relationMarks.generation
    }
    storeBase(shown, row, property)
    return core.relationMarks.generation | _ToManyKey.unreadFlag
  }

  /// Records that the program accesses a to-many.
  func markRead(_ owner: any PersistentModel, _ property: Int) {
    if !lastReadLists.isEmpty { lastReadLists.removeBase(owner._$header.pointee.rowID, property) }
    // Without its context, a list that may form a retain cycle is returned and not kept.
    if owner._$foreignKey(property) != 0, !core.isOrphaned {
      owner._$applyChange(property, .current(generation: core.relationMarks.generation))
    }
  }

  /// Returns the mark of a to-many with the content that other contexts have left.
  ///
  /// - Parameter rows: The members of the list.
  func stamp(_ owner: any PersistentModel, _ property: Int, members rows: @autoclosure () -> [Int64]) -> UInt32 {
    let generation = core.relationMarks.generation
    let row = owner._$header.pointee.rowID
    guard !lastReadLists.isEmpty, let shown = lastReadLists[row, property] else { return generation }
    if shown == rows() {
      lastReadLists.removeBase(row, property)
      return generation
    }
    return generation | _ToManyKey.unreadFlag
  }

  /// Unloads a to-many until its next access.
  func unloadRecordingBase(_ owner: any PersistentModel, _ property: Int) {
    recordBase(owner, property)
    owner._$applyChange(property, .objects(nil, generation: 0))
  }

  /// Unloads a to-many until its next access, after members returned to it because a deletion was reverted here: they count as
  /// shown, as all changes by the program itself do.
  func unloadRecordingBase(
    _ owner: any PersistentModel, _ relationship: RelationshipLayout, restored returned: [any PersistentModel]
  ) {
    unloadRecordingBase(owner, relationship.property)
    updateBase(owner, relationship) { shown in
      let known = Set(shown)
      shown += returned.rowIDs.filter { !known.contains($0) }
    }
  }
}

extension [any PersistentModel] {
  /// The row IDs of the objects.
  var rowIDs: [Int64] { map { $0._$header.pointee.rowID } }
}
