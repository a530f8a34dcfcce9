/// The rows that one fetch brought, shared by its objects: what is loaded for one of them when it is first touched is
/// loaded for those after it in the same statement.
@usableFromInline
package final class SiblingList {
  // Unchecked, as nothing runs while a number enters, and one does for each row that a fetch brings.
  @exclusivity(unchecked) package private(set) var rows: ContiguousArray<Int64>
  /// Where the last search ended: objects are walked in their order more often than not.
  @exclusivity(unchecked) private var place = 0

  @usableFromInline
  init(first row: Int64) {
    rows = []
    rows.reserveCapacity(SiblingList.few)
    rows.append(row)
  }

  /// For how many there is room at once.
  @inlinable static var few: Int { 16 }

  /// While the fetch runs that brings them.
  @usableFromInline
  func append(_ row: Int64) { rows.append(row) }

  /// Puts them in the order of their identifiers.
  @usableFromInline
  func order() { rows.sort() }

  /// The rows of the block of `count` that this one is in: whichever way the objects are walked, each block is asked
  /// for once.
  package func rows(around row: Int64, count: Int) -> ArraySlice<Int64> {
    guard let found = find(row) else { return [] }
    place = found
    let start = found - found % count
    return rows[start..<min(rows.count, start + count)]
  }

  private func find(_ row: Int64) -> Int? {
    // Mostly the next, or the one before.
    for near in [place + 1, place, place - 1] where rows.indices.contains(near) && rows[near] == row { return near }
    return rows[place...].firstIndex(of: row) ?? rows[..<place].firstIndex(of: row)
  }
}

extension SiblingList {
  /// How many objects at most have a relationship loaded by one statement: few enough to bound what is held for a walk
  /// that is broken off, many enough that statements do not count.
  package static let batch = 1_024
}

/// Objects that a context holds on to for a while, although nobody may ask for them: those that to-one relationships
/// led to. An object keeps no reference to the one at the other end of a to-one, which would otherwise have to be read
/// again for each access. The oldest makes way.
package struct KeptObjects {
  /// At about 150 bytes an object, 5 MB.
  package static let limit = 1 << 15

  private var ring: [AnyObject] = []
  private var next = 0

  /// - Returns: The one whose place it takes, to be let go of once nobody is at work here; see ``HeldUntilDone``.
  package mutating func keep(_ object: AnyObject) -> AnyObject? {
    if ring.count < KeptObjects.limit {
      ring.append(object)
      return nil
    }
    let former = ring[next]
    ring[next] = object
    next = (next + 1) % KeptObjects.limit
    return former
  }

  /// - Returns: What was kept, to be let go of likewise.
  package mutating func removeAll() -> [AnyObject] {
    let all = ring
    ring = []
    next = 0
    return all
  }
}

/// The objects whose to-many relationships over a link table are loaded. Such relationships lead back, so the objects
/// would keep each other for ever: the oldest have theirs taken away, to be loaded again when they are asked for.
package struct LinkHolders {
  package static let limit = 1_024

  private var ring: [(model: any PersistentModel, property: Int)] = []
  private var places: Set<RelationPlace> = []
  private var next = 0

  /// - Returns: What is to be unloaded in turn; never what is noted. What is there already stays where it is.
  package mutating func note(
    _ model: any PersistentModel, _ property: Int
  ) -> (model: any PersistentModel, property: Int)? {
    guard places.insert(RelationPlace(model, property)).inserted else { return nil }
    guard ring.count >= LinkHolders.limit else {
      ring.append((model, property))
      return nil
    }
    defer { next = (next + 1) % LinkHolders.limit }
    let oldest = ring[next]
    places.remove(RelationPlace(oldest.model, oldest.property))
    ring[next] = (model, property)
    return oldest
  }

  package mutating func removeAll() -> [(model: any PersistentModel, property: Int)] {
    defer {
      ring = []
      places = []
      next = 0
    }
    return ring
  }
}
