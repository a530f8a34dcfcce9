import LarderSupport

/// One column's index of inserted objects: a hash table that holds their places and hashes, and no values.
///
/// Those are read again from the objects that are found. So it grows without hashing anything a second time, takes some
/// 16 bytes an object, and asking it for what is not there, as the usual loop does for each record, touches one slot.
struct InsertedObjectIndex {
  let column: Int
  let bit: _PropertyMask
  /// The newest object of each hash, by linear probing from the hash's own slot.
  private var slots: [Slot]
  /// For each object, the one before it with the same hash.
  private var previous: [Int32] = []
  /// How many slots are taken.
  private var occupiedCount = 0

  private struct Slot {
    var hash: UInt32
    var position: Int32

    static var empty: Slot { Slot(hash: 0, position: none) }
  }

  private static var none: Int32 { -1 }
  /// The slots at first: a power of two, as ever.
  private static var initialSlotCount: Int { 16 }

  init(column: Int, bit: _PropertyMask) {
    self.column = column
    self.bit = bit
    slots = Array(repeating: .empty, count: InsertedObjectIndex.initialSlotCount)
  }

  /// Takes in the objects that have come since.
  mutating func extend(to count: Int, _ value: (Int) -> _StoredValue?) {
    while previous.count < count {
      let place = previous.count
      previous.append(InsertedObjectIndex.none)
      if let key = value(place) {
        insert(Slot(hash: InsertedObjectIndex.hash(key), position: Int32(truncatingIfNeeded: place)))
      }
    }
  }

  /// The places of the objects with a value, in the order of their inserts.
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

  /// Where a hash stands, or would stand.
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
    // Half empty, so that probing ends soon.
    if occupiedCount * 2 > slots.count { grow() }
  }

  private mutating func grow() {
    let old = slots
    slots = Array(repeating: .empty, count: old.count * 2)
    for entry in old where entry.position != InsertedObjectIndex.none { slots[slot(of: entry.hash)] = entry }
  }

  /// Seeded anew in each process, as the library's: what comes from outside cannot be made to collide.
  private static func hash(_ value: _StoredValue) -> UInt32 {
    UInt32(truncatingIfNeeded: value.hashValue)
  }
}
