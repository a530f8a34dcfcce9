import LarderSupport

/// Finds edited, unsaved objects of the store by the value of a property: what ``InsertedObjectIndexes`` is for inserted ones.
///
/// An edited object's setters notice the first change of a property only. So each object that is in an index is watched from
/// then on, and one that changes is entered anew before the next look.
struct EditedObjectIndexes {
  private struct Index {
    let column: Int
    /// Objects by their places in the list of changed ones.
    var positionsByValue: [_StoredValue: Set<Int>] = [:]
    var valuesByPosition: [Int: _StoredValue] = [:]
    /// Those whose value has no stored form, and may be any.
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
  /// How many of the changed objects are in the indexes.
  private var indexedCount = 0
  /// Those that changed since.
  private var dirtyPositions: Set<Int> = []

  var isEmpty: Bool { indexes.isEmpty }

  mutating func removeAll() { if !isEmpty || indexedCount > 0 { self = EditedObjectIndexes() } }

  mutating func markDirty(_ place: Int32) { if !isEmpty, place < indexedCount { dirtyPositions.insert(Int(place)) } }

  /// The places of the objects whose columns have one of the values.
  ///
  /// - Parameters:
  ///   - watch: Has a place's object tell of its changes.
  ///   - value: A column's stored value of the object at a place.
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
