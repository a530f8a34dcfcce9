/// A map from row IDs to a context's instances: an open-addressing hash table that does not retain the instances.
///
/// Entries are plain pointers. The caller holds the lock of the context that owns the map, and an instance removes
/// itself before its memory is freed. Operations take constant time on average; the table is at most three quarters
/// full.
///
/// Rows are mostly accessed in the order of their IDs, so neighbours are stored side by side: IDs are hashed by blocks
/// of 64, and keep their order within a block. Entries on a run are kept in the order of their home indexes (Robin Hood
/// hashing), so that a search and a removal end at the first entry that is at home, however long the run.
@usableFromInline
package struct IdentityMap: ~Copyable {
  @usableFromInline
  struct Entry {
    @usableFromInline var key: Int64
    /// The instance, or `nil` if the slot is free.
    @usableFromInline var object: UnsafeMutableRawPointer?

    @inlinable
    init(key: Int64, object: UnsafeMutableRawPointer?) {
      self.key = key
      self.object = object
    }
  }

  @usableFromInline var entries: UnsafeMutablePointer<Entry>
  @usableFromInline var mask: Int
  /// The shift that reduces a 64-bit hash to a block number.
  @usableFromInline var shift: UInt64
  @usableFromInline package private(set) var count = 0

  package init() {
    // Two blocks; a context has a map for each model that it uses, most of them small.
    entries = IdentityMap.allocate(128)
    mask = 127
    shift = 63
  }

  deinit { entries.deallocate() }

  private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<Entry> {
    let entries = UnsafeMutablePointer<Entry>.allocate(capacity: capacity)
    entries.initialize(repeating: Entry(key: 0, object: nil), count: capacity)
    return entries
  }

  /// Returns the index that a key would have in an empty map.
  @inlinable
  func homeIndex(_ key: Int64) -> Int {
    let block = (UInt64(bitPattern: key &>> 6) &* 0x9E37_79B9_7F4A_7C15) &>> shift
    return Int(truncatingIfNeeded: block &<< 6) | Int(truncatingIfNeeded: key & 63)
  }

  /// Returns the distance of an entry from its home index.
  @inlinable
  func probeDistance(at index: Int) -> Int { (index &- homeIndex(entries[index].key)) & mask }

  /// Returns the index of a key, or `nil` if the map does not contain it.
  @inlinable
  func index(of key: Int64) -> Int? {
    var index = homeIndex(key)
    var travelled = 0
    while entries[index].object != nil {
      if entries[index].key == key { return index }
      if probeDistance(at: index) < travelled { return nil }
      index = (index &+ 1) & mask
      travelled &+= 1
    }
    return nil
  }

  @inlinable
  /// Returns the instance of a row, or `nil`.
  package func find(_ key: Int64) -> UnsafeMutableRawPointer? { index(of: key).flatMap { entries[$0].object } }

  /// Inserts an instance, and replaces an instance of the same row that is being deallocated. Returns whether there was
  /// none.
  @inlinable
  @discardableResult
  package mutating func insert(_ key: Int64, _ object: UnsafeMutableRawPointer) -> Bool {
    if (count &+ 1) &* 4 > mask &* 3 { grow() }
    let index = homeIndex(key)
    if _fastPath(entries[index].object == nil) {
      entries[index] = Entry(key: key, object: object)
      count &+= 1
      return true
    }
    return insertDisplacing(key, object, index)
  }

  @usableFromInline
  mutating func insertDisplacing(_ key: Int64, _ object: UnsafeMutableRawPointer, _ home: Int) -> Bool {
    if let place = index(of: key) {
      entries[place].object = object
      return false
    }
    var index = home
    var travelled = 0
    var entry = Entry(key: key, object: object)
    while entries[index].object != nil {
      let settled = probeDistance(at: index)
      if settled < travelled {
        // An entry that is nearer to its home moves on.
        swap(&entry, &entries[index])
        travelled = settled
      }
      index = (index &+ 1) & mask
      travelled &+= 1
    }
    entries[index] = entry
    count &+= 1
    return true
  }

  /// Removes an instance, unless another instance has replaced it. Returns whether it was removed.
  @inlinable
  package mutating func remove(_ key: Int64, _ object: UnsafeMutableRawPointer) -> Bool {
    guard var hole = index(of: key), entries[hole].object == object else { return false }
    // Entries that are away from home move up.
    var next = (hole &+ 1) & mask
    while entries[next].object != nil, probeDistance(at: next) > 0 {
      entries[hole] = entries[next]
      hole = next
      next = (next &+ 1) & mask
    }
    entries[hole].object = nil
    count &-= 1
    return true
  }

  @usableFromInline
  mutating func grow() {
    let old = entries
    let oldCapacity = mask + 1
    let capacity = oldCapacity * 2
    entries = IdentityMap.allocate(capacity)
    mask = capacity - 1
    shift -= 1
    count = 0
    for index in 0..<oldCapacity {
      if let object = old[index].object { insert(old[index].key, object) }
    }
    old.deallocate()
  }

  /// The IDs of all rows that have an instance, in no order.
  package var keys: [Int64] {
    var keys: [Int64] = []
    keys.reserveCapacity(count)
    for index in 0...mask where entries[index].object != nil { keys.append(entries[index].key) }
    return keys
  }

  /// Calls the closure with every instance, in no order.
  package func visit(_ body: (UnsafeMutableRawPointer) -> Void) {
    for index in 0...mask {
      if let object = entries[index].object { body(object) }
    }
  }
}
