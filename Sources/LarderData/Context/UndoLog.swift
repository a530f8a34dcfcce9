/// What edited properties held before their first edit since the last save: one list for all objects of a model, so
/// that an edit allocates nothing of its own.
package struct UndoLog {
  package struct Entry {
    /// The object's place in the list of changed objects.
    package var object: Int32
    /// Where its values begin in ``UndoLog/values``.
    package var first: Int32
    package var bit: UInt64
  }

  package private(set) var entries: [Entry] = []
  /// Collects the values; a binder writes into it.
  package let sink = RowSink()

  package init() {}

  package mutating func append(object: Int, bit: UInt64, _ write: (RowSink) -> Void) {
    let first = sink.values.count
    write(sink)
    entries.append(
      Entry(object: Int32(truncatingIfNeeded: object), first: Int32(truncatingIfNeeded: first), bit: bit))
  }

  package func values(of index: Int) -> ArraySlice<StoredValue> {
    let end = index + 1 < entries.count ? Int(entries[index + 1].first) : sink.values.count
    return sink.values[Int(entries[index].first)..<end]
  }

  package mutating func removeAll() {
    entries.removeAll(keepingCapacity: entries.count <= UndoLog.keptCapacity)
    sink.values.removeAll(keepingCapacity: sink.values.count <= UndoLog.keptCapacity)
  }

  /// A bulk edit's memory is given back; that of everyday edits is kept.
  private static let keptCapacity = 4_096
}
