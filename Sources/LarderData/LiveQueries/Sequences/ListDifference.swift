/// The smallest set of removals and insertions that transforms one list of distinct rows into another.
///
/// A row is in a list at most once. So the largest set of rows that can stay is a longest increasing subsequence of their
/// former positions, which takes n log n steps. For arbitrary lists, it would take the product of both lengths.
package struct ListDifference {
  private(set) var removed: [(place: Int, row: Int64)] = []
  private(set) var inserted: [(place: Int, row: Int64)] = []

  package init(from former: [Int64], to present: [Int64]) {
    var start = 0
    while start < min(former.count, present.count), former[start] == present[start] { start += 1 }
    var (formerEnd, presentEnd) = (former.count, present.count)
    while formerEnd > start, presentEnd > start, former[formerEnd - 1] == present[presentEnd - 1] {
      formerEnd -= 1
      presentEnd -= 1
    }
    var places: [Int64: Int] = [:]
    for place in start..<formerEnd { places[former[place]] = place }
    let known = (start..<presentEnd).compactMap { place in places[present[place]].map { (present: place, former: $0) } }
    let staying = ListDifference.longestIncreasingSubsequence(known.map(\.former)).map { known[$0] }
    let formerStaying = Set(staying.map(\.former))
    let presentStaying = Set(staying.map(\.present))
    for place in start..<formerEnd where !formerStaying.contains(place) { removed.append((place, former[place])) }
    for place in start..<presentEnd where !presentStaying.contains(place) { inserted.append((place, present[place])) }
  }

  /// Returns the positions of a longest increasing subsequence of distinct numbers.
  private static func longestIncreasingSubsequence(_ numbers: [Int]) -> [Int] {
    /// For each length, the end of the subsequence with the lowest last number.
    var ends: [Int] = []
    /// The position of each number's predecessor in its subsequence.
    var before = [Int](repeating: -1, count: numbers.count)
    for (place, number) in numbers.enumerated() {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
      }
      if low > 0 { before[place] = ends[low - 1] }
      if low == ends.count { ends.append(place) } else { ends[low] = place }
    }
    var run: [Int] = []
    var place = ends.last ?? -1
    while place >= 0 {
      run.append(place)
      place = before[place]
    }
    return run.reversed()
  }

  /// Returns the difference as a `CollectionDifference`, with an element for each row.
  package func collectionDifference<Element>(of element: (Int64) -> Element) -> CollectionDifference<Element> {
    let changes: [CollectionDifference<Element>.Change] =
      removed.map { .remove(offset: $0.place, element: element($0.row), associatedWith: nil) }
      + inserted.map { .insert(offset: $0.place, element: element($0.row), associatedWith: nil) }
    // Each position occurs once, so the changes form a valid difference.
    guard let difference = CollectionDifference(changes) else {
      preconditionFailure("a difference of lists names a place twice")
    }
    return difference
  }
}
