// Keys of an object are searched in the text itself. Objects are small: comparing a key with thirty others takes less time than
// inserting thirty into a dictionary. Large objects hold data, and get an index.

extension DecodingState {
  /// Returns a key in the form that the types expect.
  func key(at index: UInt32, in container: UInt32) -> String {
    let entry = entries[Int(index)]
    // Keys of a dictionary are not converted.
    if entries[Int(container)].hasEscapes { return string(entry) }
    switch keyConversion {
    case .none: return string(entry)
    case .uniform: return keyTable.map { $0.converted[Int(entry.count)] } ?? string(entry)
    case .custom(let convert):
      let path = codingPath(of: containerValue(container)) + [JSONPathKey(stringValue: string(entry))]
      return convert(path).stringValue
    }
  }

  /// Returns the value of the first entry with the specified key.
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

  /// Returns whether a key has the specified bytes. Both have the same length.
  @inline(__always)
  private func hasBytes(_ entry: TapeEntry, _ word: UInt64, _ wanted: UnsafeBufferPointer<UInt8>) -> Bool {
    let start = base + Int(entry.offset)
    let count = wanted.count
    if count < 8 {
      // A quote, a colon and a value follow each key, so eight bytes can be read from its beginning unless it is one of the last.
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

  /// Returns the index of the entry after a value.
  @inline(__always)
  func endIndex(of index: UInt32) -> UInt32 {
    let entry = entries[Int(index)]
    return entry.kind == .object || entry.kind == .array ? entry.length : index + 1
  }

  /// Returns an index of an object's keys, or `nil` where a linear search is at least as fast.
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

/// The values of an object by key: for objects with very many keys, and for keys that a function converts.
final class KeyIndex {
  let values: [BytewiseKey: UInt32]

  init(_ values: [BytewiseKey: UInt32]) { self.values = values }

  /// The number of keys up to which a search is faster than building a dictionary: 48.
  static let linearSearchLimit: UInt32 = 48
}
