// Keys of an object are looked for where they lie. Objects are small: to compare a key with thirty others takes less than
// to enter thirty into a dictionary. Large ones are data, and get an index.

extension DecodingState {
  /// A key as the types know it.
  func key(at index: UInt32, in container: UInt32) -> String {
    let entry = entries[Int(index)]
    // Keys of a dictionary stay as they are.
    if entries[Int(container)].hasEscapes { return string(entry) }
    switch keyConversion {
    case .none: return string(entry)
    case .uniform: return keyTable.map { $0.converted[Int(entry.count)] } ?? string(entry)
    case .custom(let convert):
      let path = codingPath(of: containerValue(container)) + [JSONPathKey(stringValue: string(entry))]
      return convert(path).stringValue
    }
  }

  /// The value of the first key that is this one.
  func find(_ key: String, in container: UInt32, _ index: KeyIndex?) -> UInt32? {
    if let index { return index.values[BytewiseKey(key)] }
    let entries = entries
    let end = entries[Int(container)].length
    var place = container + 2
    if case .uniform = keyConversion {
      guard let number = keyTable?.number(of: key) else { return nil }
      while place < end {
        if entries[Int(place)].count == number { return place + 1 }
        place = self.endIndex(of: place + 1)
      }
      return nil
    }
    var key = key
    return key.withUTF8 { wanted in
      let word =
        wanted.count < 8
        ? wanted.baseAddress.map { Words.gather($0, wanted.count) } ?? 0 : Words.load(wanted.baseAddress ?? base)
      while place < end {
        let entry = entries[Int(place)]
        if _slowPath(entry.hasEscapes) {
          if string(entry).utf8.elementsEqual(wanted) { return place + 1 }
        } else if Int(entry.length) == wanted.count, hasBytes(entry, word, wanted) {
          return place + 1
        }
        let value = entries[Int(place) + 1]
        place = value.kind == .object || value.kind == .array ? value.length : place + 2
      }
      return nil
    }
  }

  /// Compares a key with one of the same length.
  @inline(__always)
  private func hasBytes(_ entry: TapeEntry, _ word: UInt64, _ wanted: UnsafeBufferPointer<UInt8>) -> Bool {
    let start = base + Int(entry.offset)
    let count = wanted.count
    if count < 8 {
      // A quote, a colon and a value follow each key; so eight bytes from it on are there unless it is one of the last.
      if Int(entry.offset) + 8 <= textCount { return Words.prefix(Words.load(start), count) == word }
      return Words.gather(start, count) == word
    }
    guard Words.load(start) == word, let other = wanted.baseAddress else { return false }
    if Words.load(start + count - 8) != Words.load(other + count - 8) { return false }
    var place = 8
    while place < count - 8 {
      if start[place] != other[place] { return false }
      place += 1
    }
    return true
  }

  /// The entry behind a value.
  @inline(__always)
  func endIndex(of index: UInt32) -> UInt32 {
    let entry = entries[Int(index)]
    return entry.kind == .object || entry.kind == .array ? entry.length : index + 1
  }

  /// What finds keys of an object fast, where a search would not.
  func makeIndex(_ container: UInt32) -> KeyIndex? {
    let count = entries[Int(container)].count
    if case .custom = keyConversion {} else if count <= KeyIndex.linearSearchLimit { return nil }
    var values: [BytewiseKey: UInt32] = [:]
    values.reserveCapacity(Int(count))
    forEachKey(container) { place in
      let text = BytewiseKey(key(at: place, in: container))
      if values[text] == nil { values[text] = place + 1 }
    }
    return KeyIndex(values)
  }

  func forEachKey(_ container: UInt32, _ body: (UInt32) -> Void) {
    let end = entries[Int(container)].length
    var place = container + 2
    while place < end {
      body(place)
      place = self.endIndex(of: place + 1)
    }
  }
}

/// The values of an object by their keys: for objects with very many, and for keys that a function converts.
final class KeyIndex {
  let values: [BytewiseKey: UInt32]

  init(_ values: [BytewiseKey: UInt32]) { self.values = values }

  /// Up to 48 keys a search is quicker than a dictionary that has to be made.
  static let linearSearchLimit: UInt32 = 48
}
