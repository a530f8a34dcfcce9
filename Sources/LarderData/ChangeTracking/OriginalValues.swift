import LarderSupport

/// The original values of properties edited since the last save: one list for all objects of an entity, so that an edit
/// allocates no memory of its own.
package struct OriginalValues: ~Copyable {
  /// One column of an original value. The entries of a property are adjacent, and the first one describes them all.
  package struct Entry {
    fileprivate var value: _StoredValue
    /// The object's position in the list of changed objects.
    package var objectIndex: Int32
    /// The number of the property's columns; 0 in the entries after the first, and for a property without columns.
    fileprivate var count: UInt16
    private var bitIndex: UInt8

    @inline(__always)
    fileprivate init(_ value: _StoredValue, objectIndex object: Int32, count: Int, bit: _PropertyMask) {
      self.value = value
      self.objectIndex = object
      self.count = UInt16(truncatingIfNeeded: count)
      bitIndex = UInt8(truncatingIfNeeded: bit.firstIndex)
    }

    /// The property's bit; 0 if the property is no longer edited, and in the entries after the first.
    package var bit: _PropertyMask { _PropertyMask(rawValue: 1 << UInt64(bitIndex)) }

    fileprivate mutating func invalidate() { bitIndex = UInt8(truncatingIfNeeded: UInt64.bitWidth) }
  }

  private var entries = SegmentedArray<Entry>()
  /// A number that increases with each change of the list.
  package private(set) var generation = 0
  /// The number of times that objects or entries have changed their positions.
  package private(set) var renumberings = 0

  package init() {}

  /// The number of entries, including those after the first of a property.
  package var count: Int { entries.count }
  package subscript(index: Int) -> Entry { entries[index] }

  /// Appends the original value of a property with one column.
  @inline(__always)
  package mutating func append(objectIndex object: Int32, bit: _PropertyMask, _ value: _StoredValue) {
    generation &+= 1
    entries.append(Entry(value, objectIndex: object, count: 1, bit: bit))
  }

  /// Appends the original value of a property with any number of columns.
  package mutating func append(objectIndex object: Int32, bit: _PropertyMask, _ values: [_StoredValue]) {
    generation &+= 1
    entries.append(Entry(values.first ?? .null, objectIndex: object, count: values.count, bit: bit))
    for value in values.dropFirst() { entries.append(Entry(value, objectIndex: object, count: 0, bit: 0)) }
  }

  package func values(of index: Int) -> [_StoredValue] {
    (index..<(index + Int(entries[index].count))).map { entries[$0].value }
  }

  /// Returns the index of the first entry of an object's property, or `nil` if the property is not edited.
  mutating func entry(of object: Int32, _ bit: _PropertyMask) -> Int? {
    for index in indexedCount..<entries.count where entries[index].bit != 0 {
      indexByKey[EntryKey(objectIndex: entries[index].objectIndex, bit: entries[index].bit)] = index
    }
    indexedCount = entries.count
    return indexByKey[EntryKey(objectIndex: object, bit: bit)]
  }

  /// Replaces the original value of a property, after a merge has changed it.
  mutating func replace(_ index: Int, with values: [_StoredValue]) {
    guard values.count == Int(entries[index].count) else { return }
    generation &+= 1
    for (offset, value) in values.enumerated() { entries[index + offset].value = value }
  }

  /// Removes the original value of a property that is no longer edited.
  mutating func remove(_ index: Int) {
    generation &+= 1
    indexByKey[EntryKey(objectIndex: entries[index].objectIndex, bit: entries[index].bit)] = nil
    invalidateEntry(index)
  }

  /// Removes an entry of a property for which an earlier entry exists.
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

  /// Called after the last objects were removed from the list of changed objects.
  mutating func didRemoveLastObjects() {
    generation &+= 1
    renumberings &+= 1
    compactIfSparse()
  }

  /// Updates the entries after objects were removed from the list of changed objects.
  ///
  /// - Parameter new: The new position for each old one, or -1.
  mutating func renumber(_ new: [Int32]) {
    generation &+= 1
    renumberings &+= 1
    for index in 0..<entries.count {
      // An invalidated entry may refer to an object that left the list before.
      let former = Int(entries[index].objectIndex)
      let place = former < new.count ? new[former] : -1
      entries[index].objectIndex = max(place, 0)
      if place < 0 { invalidateEntry(index) }
    }
    indexByKey.removeAll()
    indexedCount = 0
    compactIfSparse()
  }

  /// Compacts the list if most of its entries are invalidated.
  mutating func compactIfSparse() { if invalidatedCount > (entries.count + 1) / 2 { compact() } }

  /// Removes the invalidated entries.
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

  /// The index of the entries up to `indexedCount` by their property, built at the first lookup.
  private var indexByKey: [EntryKey: Int] = [:]
  private var indexedCount = 0
  /// The number of invalidated entries, including those after the first of a property.
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

  /// The capacity that is kept: the memory of a bulk edit is freed, and that of everyday edits is kept.
  private static let retainedCapacity = 4_096
}
