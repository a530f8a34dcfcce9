import LarderSupport

/// Finds edited, unsaved objects of the store by the value of a property: what ``PendingIndexes`` is for inserted ones.
///
/// An edited object's setters notice the first change of a property only. So each object that is in an index is watched from
/// then on, and one that changes is entered anew before the next look.
struct PendingEdits {
  private struct Index {
    let column: Int
    /// Objects by their places in the list of changed ones.
    var places: [StoredValue: Set<Int>] = [:]
    var values: [Int: StoredValue] = [:]
    /// Those whose value has no stored form, and may be any.
    var unreadable: Set<Int> = []

    mutating func enter(_ place: Int, _ value: StoredValue?) {
      if let former = values.removeValue(forKey: place) { places[former]?.remove(place) }
      unreadable.remove(place)
      if let value {
        values[place] = value
        places[value, default: []].insert(place)
      } else {
        unreadable.insert(place)
      }
    }
  }

  private var indexes: [Index] = []
  /// How many of the changed objects are in the indexes.
  private var covered = 0
  /// Those that changed since.
  private var touched: Set<Int> = []

  var isEmpty: Bool { indexes.isEmpty }

  mutating func removeAll() { if !isEmpty || covered > 0 { self = PendingEdits() } }

  mutating func touch(_ place: Int32) { if !isEmpty, place < covered { touched.insert(Int(place)) } }

  /// The places of the objects whose columns have one of the values.
  ///
  /// - Parameters:
  ///   - watch: Has a place's object tell of its changes.
  ///   - value: A column's stored value of the object at a place.
  mutating func places(
    of wanted: [(column: Int, values: Set<StoredValue>)], count: Int, watch: (Int) -> Void,
    value: (Int, Int) -> StoredValue?
  ) -> Set<Int> {
    while covered < count {
      watch(covered)
      for index in indexes.indices { indexes[index].enter(covered, value(covered, indexes[index].column)) }
      covered += 1
    }
    for place in touched {
      for index in indexes.indices { indexes[index].enter(place, value(place, indexes[index].column)) }
    }
    touched.removeAll()
    var result: Set<Int> = []
    for (column, values) in wanted {
      let known = indexes.firstIndex { $0.column == column }
      if known == nil {
        var index = Index(column: column)
        for place in 0..<covered { index.enter(place, value(place, column)) }
        indexes.append(index)
      }
      let index = indexes[known ?? indexes.count - 1]
      for value in values { if let places = index.places[value] { result.formUnion(places) } }
      result.formUnion(index.unreadable)
    }
    return result
  }
}
