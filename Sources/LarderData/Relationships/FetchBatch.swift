/// The rows of one fetch, shared by its objects: a relationship that is loaded for one of them when it is first accessed is
/// loaded for the following ones in the same statement.
@usableFromInline
package final class FetchBatch {
  // Unchecked: no other code runs while a row is appended, which happens for each row of a fetch.
  @exclusivity(unchecked) package private(set) var rows: ContiguousArray<Int64>
  /// The position of the last search: objects are visited in their order more often than not.
  @exclusivity(unchecked) private var lastIndex = 0
  /// The positions of rows, once a row was requested out of order.
  private var indexes: [Int64: Int] = [:]
  private var indexedCount = 0
  /// The last loaded window of each relationship, by its property.
  private var windows: [Int: LoadedWindow] = [:]

  @usableFromInline
  init(first row: Int64) {
    rows = []
    rows.reserveCapacity(FetchBatch.initialCapacity)
    rows.append(row)
  }

  /// The number of rows for which space is reserved at first.
  @inlinable static var initialCapacity: Int { 16 }

  /// Appends a row while the fetch is running.
  @usableFromInline
  func append(_ row: Int64) { rows.append(row) }

  /// Sorts the rows by their row IDs.
  @usableFromInline
  func sort() { rows.sort() }

  /// Returns the rows for which a relationship is loaded together with that of a requested row.
  ///
  /// The first request loads the row's block of `count` rows: whichever way the objects are visited, each block is requested
  /// once. If a loaded relationship is requested again, it was unloaded meanwhile, since the context keeps a limited number:
  /// then fewer rows are loaded, or more would be read than are ever accessed. A walk that continues where the last rows
  /// ended loads twice as many each time.
  ///
  /// - Parameter generation: The context's count of other contexts' commits: a relationship that became stale by them is loaded
  ///   as if for the first time.
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
    // Mostly the next row, or the one before.
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

  /// The number of rows up to which a row is searched linearly; a longer batch has an index.
  private static let linearSearchLimit = 64
}

extension FetchBatch {
  /// The maximum number of objects whose relationship is loaded by one statement: few enough to bound the memory of a walk
  /// that ends early, many enough that the cost of statements does not count.
  package static let batchSize = 1_024
  /// The maximum number for lists over a join table: an eighth of the lists that a context keeps, so that lists of several
  /// models that are visited in turn do not displace each other.
  package static let joinTableBatchSize = LoadedJoinLists.capacity / 8
}

/// The rows of a fetch for which a relationship was loaded last.
private struct LoadedWindow {
  let generation: UInt32
  var range = 0..<0
  /// The position of the requested row.
  var requestedIndex = 0
  /// The number of loads from each block.
  var loads: [Int: Int] = [:]
}

/// Objects that a context holds for a while although the program may not access them: the targets of to-one relationships.
/// An object keeps no reference to the target of a to-one, which would otherwise be read again for each access. A new
/// object replaces the oldest.
package struct StrongReferenceCache {
  /// The maximum number of objects: 5 MB, at about 150 bytes an object.
  package static let capacity = 1 << 15

  private var ring: [AnyObject] = []
  private var next = 0

  /// Adds an object.
  ///
  /// - Returns: The object that it replaces. The caller releases it once the context is not at work; see ``LifetimeGuard``.
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

  /// - Returns: The removed objects, to be released in the same way.
  package mutating func removeAll() -> [AnyObject] {
    let all = ring
    ring = []
    next = 0
    return all
  }
}

/// The objects whose to-many relationships over a join table are loaded. Such relationships have an inverse, so the objects
/// would hold each other forever: the oldest lists are unloaded, and loaded again when they are accessed.
package struct LoadedJoinLists {
  package static let capacity = 1_024

  private var ring: [(model: any PersistentModel, property: Int)] = []
  package var count: Int { ring.count }
  private var keys: Set<RelationshipKey> = []
  private var next = 0

  /// Adds a list. A list that is present already keeps its position.
  ///
  /// - Returns: The list to unload instead; never the one that is added.
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
