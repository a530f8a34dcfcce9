import LarderSupport

/// What edited properties held before their first edit since the last save: one list for all objects of a model, so
/// that an edit allocates nothing of its own.
package struct UndoLog: ~Copyable {
  /// One column of what a property held. Those of a property stand side by side, and the first speaks for them.
  package struct Entry {
    fileprivate var value: StoredValue
    /// The object's place in the list of changed objects.
    package var object: Int32
    /// How many columns the property has; 0 for what follows the first, and where it has none.
    fileprivate var count: UInt16
    private var place: UInt8

    @inline(__always)
    fileprivate init(_ value: StoredValue, object: Int32, count: Int, bit: PropertyMask) {
      self.value = value
      self.object = object
      self.count = UInt16(truncatingIfNeeded: count)
      place = UInt8(truncatingIfNeeded: bit.firstIndex)
    }

    /// 0 where the property is not edited any more, and of those that follow the first.
    package var bit: PropertyMask { PropertyMask(rawValue: 1 << UInt64(place)) }

    fileprivate mutating func end() { place = UInt8(truncatingIfNeeded: UInt64.bitWidth) }
  }

  private var entries = GrowingList<Entry>()
  /// Another one after each change, whatever it leaves.
  package private(set) var generation = 0
  /// How often places have become others.
  package private(set) var clearings = 0

  package init() {}

  /// How many entries there are, those included that follow others.
  package var count: Int { entries.count }
  package subscript(index: Int) -> Entry { entries[index] }

  /// Enters what a property of one column held.
  @inline(__always)
  package mutating func append(object: Int32, bit: PropertyMask, _ value: StoredValue) {
    generation &+= 1
    entries.append(Entry(value, object: object, count: 1, bit: bit))
  }

  /// The same for a property of any number of columns.
  package mutating func append(object: Int32, bit: PropertyMask, _ values: [StoredValue]) {
    generation &+= 1
    entries.append(Entry(values.first ?? .null, object: object, count: values.count, bit: bit))
    for value in values.dropFirst() { entries.append(Entry(value, object: object, count: 0, bit: 0)) }
  }

  package func values(of index: Int) -> [StoredValue] {
    (index..<(index + Int(entries[index].count))).map { entries[$0].value }
  }

  /// The entry of an object's property, if that is edited.
  mutating func entry(of object: Int32, _ bit: PropertyMask) -> Int? {
    for index in indexed..<entries.count where entries[index].bit != 0 {
      places[Place(object: entries[index].object, bit: entries[index].bit)] = index
    }
    indexed = entries.count
    return places[Place(object: object, bit: bit)]
  }

  /// Says what a property is edited from, where that has become another value since.
  mutating func replace(_ index: Int, with values: [StoredValue]) {
    guard values.count == Int(entries[index].count) else { return }
    generation &+= 1
    for (offset, value) in values.enumerated() { entries[index + offset].value = value }
  }

  /// A property is not edited any more.
  mutating func forget(_ index: Int) {
    generation &+= 1
    places[Place(object: entries[index].object, bit: entries[index].bit)] = nil
    endEntry(index)
  }

  /// The same of a property that an entry before this one tells of.
  mutating func end(_ index: Int) {
    generation &+= 1
    endEntry(index)
    places.removeAll()
    indexed = 0
  }

  private mutating func endEntry(_ index: Int) {
    if entries[index].bit != 0 { ended += max(1, Int(entries[index].count)) }
    entries[index].end()
  }

  /// The list of changed objects has lost its last ones.
  mutating func shortened() {
    generation &+= 1
    clearings &+= 1
    trim()
  }

  /// The list of changed objects has become shorter.
  ///
  /// - Parameter new: For each place that there was the one in the new list, or -1.
  mutating func renumber(_ new: [Int32]) {
    generation &+= 1
    clearings &+= 1
    for index in 0..<entries.count {
      // What has ended may be of an object that has left the list before.
      let former = Int(entries[index].object)
      let place = former < new.count ? new[former] : -1
      entries[index].object = max(place, 0)
      if place < 0 { endEntry(index) }
    }
    places.removeAll()
    indexed = 0
    trim()
  }

  /// Gives back what edits took that have ended, if that is most of it.
  mutating func trim() { if ended > (entries.count + 1) / 2 { compact() } }

  /// Lets go of what is not edited any more.
  private mutating func compact() {
    var kept = GrowingList<Entry>()
    for index in 0..<entries.count where entries[index].bit != 0 {
      for place in index..<(index + max(1, Int(entries[index].count))) { kept.append(entries[place]) }
    }
    entries = kept
    ended = 0
    places.removeAll()
    indexed = 0
  }

  private struct Place: Hashable {
    let object: Int32
    let bit: PropertyMask
  }

  /// The entries up to `indexed` by their property, made when somebody asks.
  private var places: [Place: Int] = [:]
  private var indexed = 0
  /// How many have ended, with those that follow them.
  private var ended = 0

  package mutating func removeAll() {
    generation &+= 1
    clearings &+= 1
    if indexed > 0 {
      places.removeAll()
      indexed = 0
    }
    ended = 0
    entries.removeAll(keepingCapacity: UndoLog.keptCapacity)
  }

  /// A bulk edit's memory is given back; that of everyday edits is kept.
  private static let keptCapacity = 4_096
}
