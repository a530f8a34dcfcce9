import LarderSupport

/// One column's index of inserted objects: a hash table that holds their places and hashes, and no values.
///
/// Those are read again from the objects that are found. So it grows without hashing anything a second time, takes some
/// 16 bytes an object, and asking it for what is not there, as the usual loop does for each record, touches one slot.
struct PendingIndex {
  let column: Int
  let bit: PropertyMask
  /// The newest object of each hash, by linear probing from the hash's own slot.
  private var slots: [Slot]
  /// For each object, the one before it with the same hash.
  private var previous: [Int32] = []
  /// How many slots are taken.
  private var taken = 0

  private struct Slot {
    var hash: UInt32
    var place: Int32

    static var free: Slot { Slot(hash: 0, place: none) }
  }

  private static var none: Int32 { -1 }
  /// The slots at first: a power of two, as ever.
  private static var smallest: Int { 16 }

  init(column: Int, bit: PropertyMask) {
    self.column = column
    self.bit = bit
    slots = Array(repeating: .free, count: PendingIndex.smallest)
  }

  /// Takes in the objects that have come since.
  mutating func extend(to count: Int, _ value: (Int) -> StoredValue?) {
    while previous.count < count {
      let place = previous.count
      previous.append(PendingIndex.none)
      if let key = value(place) {
        enter(Slot(hash: PendingIndex.hash(key), place: Int32(truncatingIfNeeded: place)))
      }
    }
  }

  /// The places of the objects with a value, in the order of their inserts.
  func places(of wanted: StoredValue, _ value: (Int) -> StoredValue?) -> [Int] {
    var place = slots[slot(of: PendingIndex.hash(wanted))].place
    if place == PendingIndex.none { return [] }
    var result: [Int] = []
    while place != PendingIndex.none {
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
    while slots[slot].place != PendingIndex.none, slots[slot].hash != hash { slot = (slot + 1) & mask }
    return slot
  }

  private mutating func enter(_ new: Slot) {
    let slot = slot(of: new.hash)
    let first = slots[slot].place
    slots[slot] = new
    previous[Int(new.place)] = first
    if first != PendingIndex.none { return }
    taken += 1
    // Half empty, so that probing ends soon.
    if taken * 2 > slots.count { grow() }
  }

  private mutating func grow() {
    let old = slots
    slots = Array(repeating: .free, count: old.count * 2)
    for entry in old where entry.place != PendingIndex.none { slots[slot(of: entry.hash)] = entry }
  }

  /// Seeded anew in each process, as the library's: what comes from outside cannot be made to collide.
  private static func hash(_ value: StoredValue) -> UInt32 {
    UInt32(truncatingIfNeeded: value.hashValue)
  }
}
