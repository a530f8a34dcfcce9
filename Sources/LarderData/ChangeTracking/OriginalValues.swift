import LarderSupport

/// What edited properties held before their first edit since the last save: one list for all objects of a model, so
/// that an edit allocates nothing of its own.
package struct OriginalValues: ~Copyable {
  /// One column of what a property held. Those of a property stand side by side, and the first speaks for them.
  package struct Entry {
    fileprivate var value: _StoredValue
    /// The object's place in the list of changed objects.
    package var objectIndex: Int32
    /// How many columns the property has; 0 for what follows the first, and where it has none.
    fileprivate var count: UInt16
    private var bitIndex: UInt8

    @inline(__always)
    fileprivate init(_ value: _StoredValue, objectIndex object: Int32, count: Int, bit: _PropertyMask) {
      self.value = value
      self.objectIndex = object
      self.count = UInt16(truncatingIfNeeded: count)
      bitIndex = UInt8(truncatingIfNeeded: bit.firstIndex)
    }

    /// 0 where the property is not edited any more, and of those that follow the first.
    package var bit: _PropertyMask { _PropertyMask(rawValue: 1 << UInt64(bitIndex)) }

    fileprivate mutating func invalidate() { bitIndex = UInt8(truncatingIfNeeded: UInt64.bitWidth) }
  }

  private var entries = SegmentedArray<Entry>()
  /// Another one after each change, whatever it leaves.
  package private(set) var generation = 0
  /// How often places have become others.
  package private(set) var renumberings = 0

  package init() {}

  /// How many entries there are, those included that follow others.
  package var count: Int { entries.count }
  package subscript(index: Int) -> Entry { entries[index] }

  /// Enters what a property of one column held.
  @inline(__always)
  package mutating func append(objectIndex object: Int32, bit: _PropertyMask, _ value: _StoredValue) {
    generation &+= 1
    entries.append(Entry(value, objectIndex: object, count: 1, bit: bit))
  }

  /// The same for a property of any number of columns.
  package mutating func append(objectIndex object: Int32, bit: _PropertyMask, _ values: [_StoredValue]) {
    generation &+= 1
    entries.append(Entry(values.first ?? .null, objectIndex: object, count: values.count, bit: bit))
    for value in values.dropFirst() { entries.append(Entry(value, objectIndex: object, count: 0, bit: 0)) }
  }

  package func values(of index: Int) -> [_StoredValue] {
    (index..<(index + Int(entries[index].count))).map { entries[$0].value }
  }

  /// The entry of an object's property, if that is edited.
  mutating func entry(of object: Int32, _ bit: _PropertyMask) -> Int? {
    for index in indexedCount..<entries.count where entries[index].bit != 0 {
      indexByKey[EntryKey(objectIndex: entries[index].objectIndex, bit: entries[index].bit)] = index
    }
    indexedCount = entries.count
    return indexByKey[EntryKey(objectIndex: object, bit: bit)]
  }

  /// Says what a property is edited from, where that has become another value since.
  mutating func replace(_ index: Int, with values: [_StoredValue]) {
    guard values.count == Int(entries[index].count) else { return }
    generation &+= 1
    for (offset, value) in values.enumerated() { entries[index + offset].value = value }
  }

  /// A property is not edited any more.
  mutating func remove(_ index: Int) {
    generation &+= 1
    indexByKey[EntryKey(objectIndex: entries[index].objectIndex, bit: entries[index].bit)] = nil
    invalidateEntry(index)
  }

  /// The same of a property that an entry before this one tells of.
  mutating func removeDuplicate(_ index: Int) {
    generation &+= 1
    invalidateEntry(index)
    indexByKey.removeAll()
    indexedCount = 0
  }

  private mutating func invalidateEntry(_ index: Int) {
    if entries[index].bit != 0 { invalidatedCount += max(1, Int(entries[index].count)) }
    entries[index].invalidate()
  }

  /// The list of changed objects has lost its last ones.
  mutating func didRemoveLastObjects() {
    generation &+= 1
    renumberings &+= 1
    compactIfSparse()
  }

  /// The list of changed objects has become shorter.
  ///
  /// - Parameter new: For each place that there was the one in the new list, or -1.
  mutating func renumber(_ new: [Int32]) {
    generation &+= 1
    renumberings &+= 1
    for index in 0..<entries.count {
      // What has ended may be of an object that has left the list before.
      let former = Int(entries[index].objectIndex)
      let place = former < new.count ? new[former] : -1
      entries[index].objectIndex = max(place, 0)
      if place < 0 { invalidateEntry(index) }
    }
    indexByKey.removeAll()
    indexedCount = 0
    compactIfSparse()
  }

  /// Gives back what edits took that have ended, if that is most of it.
  mutating func compactIfSparse() { if invalidatedCount > (entries.count + 1) / 2 { compact() } }

  /// Lets go of what is not edited any more.
  private mutating func compact() {
    var kept = SegmentedArray<Entry>()
    for index in 0..<entries.count where entries[index].bit != 0 {
      for place in index..<(index + max(1, Int(entries[index].count))) { kept.append(entries[place]) }
    }
    entries = kept
    invalidatedCount = 0
    indexByKey.removeAll()
    indexedCount = 0
  }

  private struct EntryKey: Hashable {
    let objectIndex: Int32
    let bit: _PropertyMask
  }

  /// The entries up to `indexedCount` by their property, made when somebody asks.
  private var indexByKey: [EntryKey: Int] = [:]
  private var indexedCount = 0
  /// How many have ended, with those that follow them.
  private var invalidatedCount = 0

  package mutating func removeAll() {
    generation &+= 1
    renumberings &+= 1
    if indexedCount > 0 {
      indexByKey.removeAll()
      indexedCount = 0
    }
    invalidatedCount = 0
    entries.removeAll(keepingCapacity: OriginalValues.retainedCapacity)
  }

  /// A bulk edit's memory is given back; that of everyday edits is kept.
  private static let retainedCapacity = 4_096
}
