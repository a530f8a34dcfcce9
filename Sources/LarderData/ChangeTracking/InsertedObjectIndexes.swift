import LarderSupport

/// Finds inserted, unsaved objects by the value of a property, so that "fetch by key, update or insert, save at the
/// end" stays linear: evaluating a predicate over every pending object would make 100,000 records an hour.
///
/// An index is built at the first fetch that asks for an equality on its column, and extended as objects come.
package struct InsertedObjectIndexes {
  private(set) var indexes: [InsertedObjectIndex] = []
  /// The properties that an index reads: setting one of them on an inserted object makes the index stale.
  package private(set) var mask: _PropertyMask = 0
  /// How often all objects were gone through for a column that has no index, by the column.
  private var scanCounts: [Int: (bit: _PropertyMask, count: Int)] = [:]
  /// So many walks take no longer than making an index.
  private static let scansBeforeIndexing = 8

  package init() {}

  var isEmpty: Bool { indexes.isEmpty }

  /// Forgets what reads a property that has changed.
  package mutating func invalidate(_ bit: _PropertyMask) {
    indexes.removeAll { $0.bit & bit != 0 }
    mask = indexes.reduce(0) { $0 | $1.bit }
    // Others go on to be counted: a deletion sets one key of what it leaves, and asks by another.
    for (column, walk) in scanCounts where walk.bit & bit != 0 { scanCounts[column] = nil }
  }

  mutating func removeAll() {
    indexes.removeAll()
    mask = 0
    if !scanCounts.isEmpty { scanCounts.removeAll() }
  }

  /// Whether the objects with a value of a column are looked up; else the caller goes through all of them, which is counted.
  ///
  /// An index that each deletion makes stale would take longer than a walk at each.
  package mutating func shouldUseIndex(_ column: Int, _ bit: _PropertyMask) -> Bool {
    if indexes.contains(where: { $0.column == column }) { return true }
    let count = scanCounts[column]?.count ?? 0
    if count >= InsertedObjectIndexes.scansBeforeIndexing { return true }
    scanCounts[column] = (bit, count + 1)
    return false
  }

  /// The places of the objects whose column has a value, in the order of their inserts.
  ///
  /// - Parameter value: A column's stored value of the n-th inserted object.
  package mutating func positions(
    of wanted: _StoredValue, column: Int, bit: _PropertyMask, count: Int, value: (Int) -> _StoredValue?
  ) -> [Int] {
    var position = indexes.firstIndex { $0.column == column }
    if position == nil {
      indexes.append(InsertedObjectIndex(column: column, bit: bit))
      mask |= bit
      position = indexes.count - 1
    }
    guard let position else { return [] }
    indexes[position].extend(to: count, value)
    return indexes[position].positions(of: wanted, value)
  }
}
