import LarderSupport

/// Indexes of edited, unsaved objects of the store by a property's value, as ``InsertedObjectIndexes`` are for inserted ones.
///
/// The setters of an edited object report only the first change of a property. So each indexed object is watched from then
/// on, and an object that changes is indexed anew before the next lookup.
struct EditedObjectIndexes {
  private struct Index {
    let column: Int
    /// The indexed objects, by their positions in the list of changed objects.
    var positionsByValue: [_StoredValue: Set<Int>] = [:]
    var valuesByPosition: [Int: _StoredValue] = [:]
    /// The objects whose value has no stored form, and may match any value.
    var unreadable: Set<Int> = []

    mutating func update(_ place: Int, _ value: _StoredValue?) {
      if let former = valuesByPosition.removeValue(forKey: place) { positionsByValue[former]?.remove(place) }
      unreadable.remove(place)
      if let value {
        valuesByPosition[place] = value
        positionsByValue[value, default: []].insert(place)
      } else {
        unreadable.insert(place)
      }
    }
  }

  private var indexes: [Index] = []
  /// The number of changed objects in the indexes.
  private var indexedCount = 0
  /// The indexed objects that have changed since.
  private var dirtyPositions: Set<Int> = []

  var isEmpty: Bool { indexes.isEmpty }

  mutating func removeAll() { if !isEmpty || indexedCount > 0 { self = EditedObjectIndexes() } }

  mutating func markDirty(_ place: Int32) { if !isEmpty, place < indexedCount { dirtyPositions.insert(Int(place)) } }

  /// Returns the positions of the objects whose columns have one of the values.
  ///
  /// - Parameters:
  ///   - watch: A closure that makes the object at a position report its changes.
  ///   - value: A closure that returns the stored value of a column for the object at a position.
  mutating func positions(
    of wanted: [(column: Int, values: Set<_StoredValue>)], count: Int, track watch: (Int) -> Void,
    value: (Int, Int) -> _StoredValue?
  ) -> Set<Int> {
    while indexedCount < count {
      watch(indexedCount)
      for index in indexes.indices { indexes[index].update(indexedCount, value(indexedCount, indexes[index].column)) }
      indexedCount += 1
    }
    for place in dirtyPositions {
      for index in indexes.indices { indexes[index].update(place, value(place, indexes[index].column)) }
    }
    dirtyPositions.removeAll()
    var result: Set<Int> = []
    for (column, values) in wanted {
      let known = indexes.firstIndex { $0.column == column }
      if known == nil {
        var index = Index(column: column)
        for place in 0..<indexedCount { index.update(place, value(place, column)) }
        indexes.append(index)
      }
      let index = indexes[known ?? indexes.count - 1]
      for value in values { if let places = index.positionsByValue[value] { result.formUnion(places) } }
      result.formUnion(index.unreadable)
    }
    return result
  }
}
