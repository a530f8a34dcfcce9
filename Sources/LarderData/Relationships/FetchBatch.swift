/// The rows that one fetch brought, shared by its objects: what is loaded for one of them when it is first touched is
/// loaded for those after it in the same statement.
@usableFromInline
package final class FetchBatch {
  // Unchecked, as nothing runs while a number enters, and one does for each row that a fetch brings.
  @exclusivity(unchecked) package private(set) var rows: ContiguousArray<Int64>
  /// Where the last search ended: objects are walked in their order more often than not.
  @exclusivity(unchecked) private var lastIndex = 0
  /// Where rows are, once that was asked for out of their order.
  private var indexes: [Int64: Int] = [:]
  private var indexedCount = 0
  /// What was loaded last of each relationship, by its property.
  private var windows: [Int: LoadedWindow] = [:]

  @usableFromInline
  init(first row: Int64) {
    rows = []
    rows.reserveCapacity(FetchBatch.initialCapacity)
    rows.append(row)
  }

  /// For how many there is room at once.
  @inlinable static var initialCapacity: Int { 16 }

  /// While the fetch runs that brings them.
  @usableFromInline
  func append(_ row: Int64) { rows.append(row) }

  /// Puts them in the order of their identifiers.
  @usableFromInline
  func sort() { rows.sort() }

  /// The rows for which a relationship is loaded together with one that is asked for.
  ///
  /// At first that is its block of `count`: whichever way the objects are walked, each block is asked for once. What was
  /// loaded before and is asked for again was taken away meanwhile, since the context keeps only so much: then fewer are
  /// loaded, or more would be read than is ever looked at. A walk that goes on where the last rows ended has twice as many
  /// loaded each time.
  ///
  /// - Parameter generation: The context's count of others' commits: what these made outdated is loaded as if it were the
  ///   first time.
  package func rows(
    loadedWith row: Int64, _ property: Int, count: Int, generation: UInt32
  ) -> ArraySlice<Int64> {
    guard let found = find(row) else { return [] }
    lastIndex = found
    let last = windows[property].flatMap { $0.generation == generation ? $0 : nil }
    let block = found / count
    let times = last?.loads[block] ?? 0
    var next = last ?? LoadedWindow(generation: generation)
    next.loads[block] = min(times + 1, 62)
    let isBackwards = last.map { found < $0.requestedIndex } ?? false
    next.requestedIndex = found
    let size: Int
    if let last, found == (isBackwards ? last.range.lowerBound - 1 : last.range.upperBound) {
      size = min(count, max(1, 2 * last.range.count))
    } else {
      size = max(1, count >> times)
    }
    if times == 0 {
      next.range = block * count..<min(rows.count, (block + 1) * count)
    } else if isBackwards {
      next.range = max(0, found + 1 - size)..<found + 1
    } else {
      next.range = found..<min(rows.count, found + size)
    }
    windows[property] = next
    return rows[next.range]
  }

  private func find(_ row: Int64) -> Int? {
    // Mostly the next, or the one before.
    for near in [lastIndex + 1, lastIndex, lastIndex - 1] where rows.indices.contains(near) && rows[near] == row {
      return near
    }
    if rows.count <= FetchBatch.linearSearchLimit { return rows.firstIndex(of: row) }
    if indexedCount != rows.count {
      indexedCount = rows.count
      indexes.removeAll()
      indexes.reserveCapacity(rows.count)
      for (place, row) in rows.enumerated() { indexes[row] = place }
    }
    return indexes[row]
  }

  /// So many are looked through; where there are more of them, it is looked up where they are.
  private static let linearSearchLimit = 64
}

extension FetchBatch {
  /// How many objects at most have a relationship loaded by one statement: few enough to bound what is held for a walk
  /// that is broken off, many enough that statements do not count.
  package static let batchSize = 1_024
  /// The same of lists over a join table: an eighth of those that a context keeps, so that lists of several models that are
  /// walked in turn do not take each other away.
  package static let joinTableBatchSize = LoadedJoinLists.capacity / 8
}

/// Which of the rows of a fetch had a relationship loaded last.
private struct LoadedWindow {
  let generation: UInt32
  var range = 0..<0
  /// The row that was asked for.
  var requestedIndex = 0
  /// How often each block was loaded from.
  var loads: [Int: Int] = [:]
}

/// Objects that a context holds on to for a while, although nobody may ask for them: those that to-one relationships
/// led to. An object keeps no reference to the one at the other end of a to-one, which would otherwise have to be read
/// again for each access. The oldest makes way.
package struct StrongReferenceCache {
  /// At about 150 bytes an object, 5 MB.
  package static let capacity = 1 << 15

  private var ring: [AnyObject] = []
  private var next = 0

  /// - Returns: The one whose place it takes, to be let go of once nobody is at work here; see ``LifetimeGuard``.
  package mutating func insert(_ object: AnyObject) -> AnyObject? {
    if ring.count < StrongReferenceCache.capacity {
      ring.append(object)
      return nil
    }
    let former = ring[next]
    ring[next] = object
    next = (next + 1) % StrongReferenceCache.capacity
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

/// The objects whose to-many relationships over a join table are loaded. Such relationships lead back, so the objects
/// would keep each other for ever: the oldest have theirs taken away, to be loaded again when they are asked for.
package struct LoadedJoinLists {
  package static let capacity = 1_024

  private var ring: [(model: any PersistentModel, property: Int)] = []
  package var count: Int { ring.count }
  private var keys: Set<RelationshipKey> = []
  private var next = 0

  /// - Returns: What is to be unloaded in turn; never what is noted. What is there already stays where it is.
  package mutating func insert(
    _ model: any PersistentModel, _ property: Int
  ) -> (model: any PersistentModel, property: Int)? {
    guard keys.insert(RelationshipKey(model, property)).inserted else { return nil }
    guard ring.count >= LoadedJoinLists.capacity else {
      ring.append((model, property))
      return nil
    }
    defer { next = (next + 1) % LoadedJoinLists.capacity }
    let oldest = ring[next]
    keys.remove(RelationshipKey(oldest.model, oldest.property))
    ring[next] = (model, property)
    return oldest
  }

  package mutating func removeAll() -> [(model: any PersistentModel, property: Int)] {
    defer {
      ring = []
      keys = []
      next = 0
    }
    return ring
  }
}
