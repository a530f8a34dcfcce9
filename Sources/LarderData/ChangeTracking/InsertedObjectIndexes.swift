import LarderSupport

/// Indexes of inserted, unsaved objects by a property's value, so that "fetch by key, update or insert, save at the end" stays
/// linear: evaluating a predicate over every pending object would make 100,000 records take an hour.
///
/// An index is built for a column that fetches compare for equality, and extended as objects are inserted.
package struct InsertedObjectIndexes {
  private(set) var indexes: [InsertedObjectIndex] = []
  /// The properties that an index reads: setting one of them on an inserted object makes the index stale.
  package private(set) var mask: _PropertyMask = 0
  /// The number of scans over all objects for a column without an index, by the column.
  private var scanCounts: [Int: (bit: _PropertyMask, count: Int)] = [:]
  /// The number of scans that take no longer than building an index.
  private static let scansBeforeIndexing = 8

  package init() {}

  var isEmpty: Bool { indexes.isEmpty }

  /// Removes the indexes that read a changed property.
  package mutating func invalidate(_ bit: _PropertyMask) {
    indexes.removeAll { $0.bit & bit != 0 }
    mask = indexes.reduce(0) { $0 | $1.bit }
    // The counts of other columns are kept: a deletion sets one key of the objects that it leaves, and looks up another.
    for (column, walk) in scanCounts where walk.bit & bit != 0 { scanCounts[column] = nil }
  }

  mutating func removeAll() {
    indexes.removeAll()
    mask = 0
    if !scanCounts.isEmpty { scanCounts.removeAll() }
  }

  /// Returns whether to use an index for a lookup by a column; if not, the caller scans all objects, and the scan is counted.
  ///
  /// An index that each deletion makes stale would take longer than a scan at each deletion.
  package mutating func shouldUseIndex(_ column: Int, _ bit: _PropertyMask) -> Bool {
    if indexes.contains(where: { $0.column == column }) { return true }
    let count = scanCounts[column]?.count ?? 0
    if count >= InsertedObjectIndexes.scansBeforeIndexing { return true }
    scanCounts[column] = (bit, count + 1)
    return false
  }

  /// Returns the positions of the objects whose column has a value, in the order of their inserts.
  ///
  /// - Parameter value: A closure that returns a column's stored value of the n-th inserted object.
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
