/// Finds a context's instance for a row: open addressing over row identifiers, without retaining the instances.
///
/// Entries are plain pointers; whoever uses the map holds the lock of the context that owns it, and instances take
/// themselves out before their memory goes. Constant time on average; the table is at most half full.
@usableFromInline
package struct IdentityMap: ~Copyable {
  @usableFromInline
  struct Entry {
    @usableFromInline var key: Int64
    /// The instance, or nil where the place is free.
    @usableFromInline var object: UnsafeMutableRawPointer?

    @inlinable
    init(key: Int64, object: UnsafeMutableRawPointer?) {
      self.key = key
      self.object = object
    }
  }

  @usableFromInline var entries: UnsafeMutablePointer<Entry>
  @usableFromInline var mask: Int
  @usableFromInline var shift: UInt64
  @usableFromInline package private(set) var count: Int

  static let initialBits = 4

  package init() {
    let capacity = 1 << IdentityMap.initialBits
    entries = .allocate(capacity: capacity)
    entries.initialize(repeating: Entry(key: 0, object: nil), count: capacity)
    mask = capacity - 1
    shift = UInt64(64 - IdentityMap.initialBits)
    count = 0
  }

  deinit { entries.deallocate() }

  /// Fibonacci hashing: neighbouring identifiers land far apart, so runs stay short.
  @inlinable
  func home(_ key: Int64) -> Int {
    Int(truncatingIfNeeded: (UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15) &>> shift)
  }

  @inlinable
  package func find(_ key: Int64) -> UnsafeMutableRawPointer? {
    var index = home(key)
    while let object = entries[index].object {
      if entries[index].key == key { return object }
      index = (index &+ 1) & mask
    }
    return nil
  }

  /// Enters an instance, in the place of one that is on its way out if there is one; returns whether there was none.
  @inlinable
  @discardableResult
  package mutating func insert(_ key: Int64, _ object: UnsafeMutableRawPointer) -> Bool {
    if (count &+ 1) &* 2 > mask { grow() }
    var index = home(key)
    while entries[index].object != nil {
      if entries[index].key == key {
        entries[index].object = object
        return false
      }
      index = (index &+ 1) & mask
    }
    entries[index] = Entry(key: key, object: object)
    count &+= 1
    return true
  }

  /// Takes an instance out, unless another has its place by now. Returns whether it was there.
  @inlinable
  package mutating func remove(_ key: Int64, _ object: UnsafeMutableRawPointer) -> Bool {
    var hole = home(key)
    while true {
      guard let found = entries[hole].object else { return false }
      if entries[hole].key == key {
        if found != object { return false }
        break
      }
      hole = (hole &+ 1) & mask
    }
    // Entries that follow move up where the hole lies between their home and their place.
    var next = hole
    while true {
      next = (next &+ 1) & mask
      guard entries[next].object != nil else { break }
      let distance = (next &- home(entries[next].key)) & mask
      if distance >= (next &- hole) & mask {
        entries[hole] = entries[next]
        hole = next
      }
    }
    entries[hole].object = nil
    count &-= 1
    return true
  }

  @usableFromInline
  mutating func grow() {
    let old = entries
    let oldCapacity = mask + 1
    let capacity = oldCapacity * 4
    entries = .allocate(capacity: capacity)
    entries.initialize(repeating: Entry(key: 0, object: nil), count: capacity)
    mask = capacity - 1
    shift -= 2
    count = 0
    for index in 0..<oldCapacity {
      if let object = old[index].object { insert(old[index].key, object) }
    }
    old.deallocate()
  }

  /// Every instance, in no order.
  package func forEach(_ body: (UnsafeMutableRawPointer) -> Void) {
    for index in 0...mask {
      if let object = entries[index].object { body(object) }
    }
  }
}
