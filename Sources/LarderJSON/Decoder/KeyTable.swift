/// Numbers keys by what they become when they are converted, so that each is converted once and compared as a number.
///
/// Open addressing over the bytes as they are; two keys that become the same have the same number.
final class KeyTable {
  private struct Slot {
    var bytes: [UInt8]
    var word: UInt64
    var number: UInt32
  }

  private var slots: [Slot?]
  private var used = 0
  private var numbers: [String: UInt32] = [:]
  private(set) var converted: [String] = []
  private let convert: (String) -> String

  /// 4,096 different keys; beyond that they are data, and what is known of them is forgotten when the next value begins.
  static let mostKeys = 4_096

  init(convert: @escaping (String) -> String) {
    self.convert = convert
    slots = Array(repeating: nil, count: 64)
  }

  /// Whether the table should be made anew before the next value.
  var isFull: Bool { used > KeyTable.mostKeys }

  func number(of key: JSONKey) -> UInt32 {
    var index = home(key.word, key.count)
    while let slot = slots[index] {
      if slot.word == key.word, slot.bytes.count == key.count, key.hasBytes(slot.bytes) { return slot.number }
      index = (index + 1) & (slots.count - 1)
    }
    return enter(key)
  }

  /// The number of a key as a type spells it; nil where no key of the text becomes that.
  func number(of key: String) -> UInt32? { numbers[key] }

  private func home(_ word: UInt64, _ count: Int) -> Int {
    Int(truncatingIfNeeded: ((word ^ UInt64(truncatingIfNeeded: count)) &* 0x9E37_79B9_7F4A_7C15) &>> 40)
      & (slots.count - 1)
  }

  private func enter(_ key: JSONKey) -> UInt32 {
    if (used + 1) * 2 > slots.count { grow() }
    let text = convert(key.string)
    let number = numbers[text] ?? UInt32(converted.count)
    if Int(number) == converted.count {
      numbers[text] = number
      converted.append(text)
    }
    place(Slot(bytes: key.bytes, word: key.word, number: number), key.count)
    used += 1
    return number
  }

  private func place(_ slot: Slot, _ count: Int) {
    var index = home(slot.word, count)
    while slots[index] != nil { index = (index + 1) & (slots.count - 1) }
    slots[index] = slot
  }

  private func grow() {
    let old = slots
    slots = Array(repeating: nil, count: old.count * 2)
    for case .some(let slot) in old { place(slot, slot.bytes.count) }
  }
}

extension JSONKey {
  var bytes: [UInt8] { Array(UnsafeBufferPointer(start: start, count: count)) }

  func hasBytes(_ bytes: [UInt8]) -> Bool { UnsafeBufferPointer(start: start, count: count).elementsEqual(bytes) }
}
