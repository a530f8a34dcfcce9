import LarderSupport

/// What edited properties held before their first edit since the last save: one list for all objects of a model, so
/// that an edit allocates nothing of its own.
package struct UndoLog {
  package struct Entry {
    /// The object's place in the list of changed objects.
    package var object: Int32
    /// Where its values begin among the sink's.
    fileprivate var first: Int32
    fileprivate var count: UInt16
    private var place: UInt8

    fileprivate init(object: Int, first: Int, count: Int, bit: UInt64) {
      self.object = Int32(truncatingIfNeeded: object)
      self.first = Int32(truncatingIfNeeded: first)
      self.count = UInt16(truncatingIfNeeded: count)
      place = UInt8(truncatingIfNeeded: bit.trailingZeroBitCount)
    }

    /// 0 where the property is not edited any more.
    package var bit: UInt64 { 1 << UInt64(place) }

    fileprivate mutating func end() { place = UInt8(truncatingIfNeeded: UInt64.bitWidth) }
  }

  package private(set) var entries: [Entry] = []
  /// Collects the values; a binder writes into it.
  package let sink = RowSink()

  package init() {}

  /// Enters the values that the sink has been given last.
  ///
  /// - Parameter first: Where they begin.
  package mutating func append(object: Int, bit: UInt64, from first: Int) {
    entries.append(Entry(object: object, first: first, count: sink.values.count - first, bit: bit))
  }

  package func values(of index: Int) -> ArraySlice<StoredValue> {
    let first = Int(entries[index].first)
    return sink.values[first..<(first + Int(entries[index].count))]
  }

  /// The entry of an object's property, if that is edited.
  mutating func entry(of object: Int32, _ bit: UInt64) -> Int? {
    for index in indexed..<entries.count where entries[index].bit != 0 {
      places[Place(object: entries[index].object, bit: entries[index].bit)] = index
    }
    indexed = entries.count
    return places[Place(object: object, bit: bit)]
  }

  /// Says what a property is edited from, where that has become another value since.
  mutating func replace(_ index: Int, with values: [StoredValue]) {
    let range = self.values(of: index).indices
    guard range.count == values.count else { return }
    sink.values.replaceSubrange(range, with: values)
  }

  /// A property is not edited any more.
  mutating func forget(_ index: Int) {
    places[Place(object: entries[index].object, bit: entries[index].bit)] = nil
    entries[index].end()
  }

  /// The list of changed objects has become shorter.
  ///
  /// - Parameter new: For each place that there was the one in the new list, or -1.
  mutating func renumber(_ new: [Int32]) {
    for index in entries.indices {
      let place = new[Int(entries[index].object)]
      entries[index].object = max(place, 0)
      if place < 0 { entries[index].end() }
    }
    places.removeAll()
    indexed = 0
    trim()
  }

  /// Gives back what edits took that have ended, if that is most of it.
  mutating func trim() {
    if entries.count(where: { $0.bit == 0 }) > entries.count / 2 { compact() }
  }

  /// Lets go of what is not edited any more.
  private mutating func compact() {
    var kept: [Entry] = []
    var values: [StoredValue] = []
    for index in entries.indices where entries[index].bit != 0 {
      kept.append(entries[index])
      kept[kept.count - 1].first = Int32(truncatingIfNeeded: values.count)
      values += self.values(of: index)
    }
    entries = kept
    sink.values = values
    places.removeAll()
    indexed = 0
  }

  private struct Place: Hashable {
    let object: Int32
    let bit: UInt64
  }

  /// The entries up to `indexed` by their property, made when somebody asks.
  private var places: [Place: Int] = [:]
  private var indexed = 0

  package mutating func removeAll() {
    if indexed > 0 {
      places.removeAll()
      indexed = 0
    }
    entries.removeAll(keepingCapacity: entries.count <= UndoLog.keptCapacity)
    sink.values.removeAll(keepingCapacity: sink.values.count <= UndoLog.keptCapacity)
  }

  /// A bulk edit's memory is given back; that of everyday edits is kept.
  private static let keptCapacity = 4_096
}
