/// A table that numbers keys by their converted form, so that each key is converted once and then compared as a number.
///
/// Uses open addressing over the unconverted bytes. Two keys with the same converted form have the same number.
final class KeyTable {
  struct Slot {
    var bytes: [UInt8]
    var hash: UInt64
    var number: UInt32
  }

  private(set) var slots: [Slot?]
  private var slotCount = 0
  private var numbers: [BytewiseKey: UInt32] = [:]
  private(set) var converted: [String] = []
  private let seed: UInt64
  private let convert: (String) -> String

  /// 4,096 different keys. A document with more uses keys as data, so the table is discarded before the next value.
  static let maximumKeyCount = 4_096
  /// A random seed for each process, so that the author of a document cannot predict which keys collide.
  static let processSeed = UInt64.random(in: .min ... .max)

  init(seed: UInt64 = KeyTable.processSeed, convert: @escaping (String) -> String) {
    self.seed = seed
    self.convert = convert
    slots = Array(repeating: nil, count: 64)
  }

  /// Whether the table has to be replaced before the next value.
  var isFull: Bool { slotCount > KeyTable.maximumKeyCount }

  func number(of key: JSONKey) -> UInt32 {
    let hash = key.hash(seed: seed)
    var index = firstSlot(of: hash)
    while let slot = slots[index] {
      if slot.hash == hash, slot.bytes.count == key.count, key.hasBytes(slot.bytes) { return slot.number }
      index = (index + 1) & (slots.count - 1)
    }
    return insert(key, hash)
  }

  /// Returns the number of a key in a type's spelling, or `nil` where no key of the text has that form.
  func number(of key: String) -> UInt32? { numbers[BytewiseKey(key)] }

  /// Returns the first slot that is probed for a hash.
  func firstSlot(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash) & (slots.count - 1) }

  private func insert(_ key: JSONKey, _ hash: UInt64) -> UInt32 {
    if (slotCount + 1) * 2 > slots.count { grow() }
    let text = convert(key.string)
    let number = numbers[BytewiseKey(text)] ?? UInt32(converted.count)
    if Int(number) == converted.count {
      numbers[BytewiseKey(text)] = number
      converted.append(text)
    }
    store(Slot(bytes: key.bytes, hash: hash, number: number))
    slotCount += 1
    return number
  }

  private func store(_ slot: Slot) {
    var index = firstSlot(of: slot.hash)
    while slots[index] != nil { index = (index + 1) & (slots.count - 1) }
    slots[index] = slot
  }

  private func grow() {
    let old = slots
    slots = Array(repeating: nil, count: old.count * 2)
    for case .some(let slot) in old { store(slot) }
  }
}

extension JSONKey {
  var bytes: [UInt8] { Array(UnsafeBufferPointer(start: start, count: count)) }

  func hasBytes(_ bytes: [UInt8]) -> Bool { UnsafeBufferPointer(start: start, count: count).elementsEqual(bytes) }

  /// Returns a hash that depends on every byte, since keys often differ only in their last ones. A key of up to eight bytes takes
  /// two multiplications, each further eight bytes one more.
  func hash(seed: UInt64) -> UInt64 {
    var hash = JSONKey.mixed(seed, word)
    if count > 8 {
      var place = 8
      while place < count - 8 {
        hash = JSONKey.mixed(hash, word(at: place))
        place += 8
      }
      // This word may overlap the previous one.
      hash = JSONKey.mixed(hash, word(at: count - 8))
    }
    return JSONKey.mixed(hash, UInt64(truncatingIfNeeded: count))
  }

  /// Combines both halves of the product with the golden ratio's bits, so that each bit depends on all bits of the factor.
  private static func mixed(_ hash: UInt64, _ word: UInt64) -> UInt64 {
    let product = (hash ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return product.high ^ product.low
  }
}
