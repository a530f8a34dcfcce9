import LarderSupport

/// One column's index of inserted objects: a hash table that holds their positions and hashes, and no values.
///
/// A lookup reads the values again from the objects that it finds. So the table grows without hashing a value a second time,
/// takes some 16 bytes an object, and a lookup of a missing value, as in the usual import loop, touches one slot.
struct InsertedObjectIndex {
  let column: Int
  let bit: _PropertyMask
  /// The newest object of each hash, by linear probing from the slot of the hash.
  private var slots: [Slot]
  /// For each object, the previous one with the same hash.
  private var previous: [Int32] = []
  /// The number of occupied slots.
  private var occupiedCount = 0

  private struct Slot {
    var hash: UInt32
    var position: Int32

    static var empty: Slot { Slot(hash: 0, position: none) }
  }

  private static var none: Int32 { -1 }
  /// The initial number of slots: a power of two, as each later number.
  private static var initialSlotCount: Int { 16 }

  init(column: Int, bit: _PropertyMask) {
    self.column = column
    self.bit = bit
    slots = Array(repeating: .empty, count: InsertedObjectIndex.initialSlotCount)
  }

  /// Adds the objects inserted since the last call.
  mutating func extend(to count: Int, _ value: (Int) -> _StoredValue?) {
    while previous.count < count {
      let place = previous.count
      previous.append(InsertedObjectIndex.none)
      if let key = value(place) {
        insert(Slot(hash: InsertedObjectIndex.hash(key), position: Int32(truncatingIfNeeded: place)))
      }
    }
  }

  /// Returns the positions of the objects with a value, in the order of their inserts.
  func positions(of wanted: _StoredValue, _ value: (Int) -> _StoredValue?) -> [Int] {
    var place = slots[slot(of: InsertedObjectIndex.hash(wanted))].position
    if place == InsertedObjectIndex.none { return [] }
    var result: [Int] = []
    while place != InsertedObjectIndex.none {
      // Another value may have the same hash.
      if value(Int(place)) == wanted { result.append(Int(place)) }
      place = previous[Int(place)]
    }
    return result.reversed()
  }

  /// Returns the slot of a hash, or the slot where it belongs.
  private func slot(of hash: UInt32) -> Int {
    let mask = slots.count - 1
    var slot = Int(hash) & mask
    while slots[slot].position != InsertedObjectIndex.none, slots[slot].hash != hash { slot = (slot + 1) & mask }
    return slot
  }

  private mutating func insert(_ new: Slot) {
    let slot = slot(of: new.hash)
    let first = slots[slot].position
    slots[slot] = new
    previous[Int(new.position)] = first
    if first != InsertedObjectIndex.none { return }
    occupiedCount += 1
    // At most half full, so that probing ends soon.
    if occupiedCount * 2 > slots.count { grow() }
  }

  private mutating func grow() {
    let old = slots
    slots = Array(repeating: .empty, count: old.count * 2)
    for entry in old where entry.position != InsertedObjectIndex.none { slots[slot(of: entry.hash)] = entry }
  }

  /// Returns the hash of a value. The standard library seeds it per process: external input cannot be made to collide.
  private static func hash(_ value: _StoredValue) -> UInt32 {
    UInt32(truncatingIfNeeded: value.hashValue)
  }
}
