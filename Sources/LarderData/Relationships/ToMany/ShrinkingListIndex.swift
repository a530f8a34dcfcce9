/// The indexes of the members of a long list when it was walked, and their present indexes after some have left, in a time
/// that hardly grows with the list.
///
/// It holds no objects, and knows only the removals that are reported to it: the caller checks whether the member is there.
struct ShrinkingListIndex {
  private let originalIndexes: [UnsafeRawPointer: Int]
  /// The removals, as a Fenwick tree: element n - 1 has the number of removals among the last n & -n of the first n places.
  private var removalCounts: [Int32]

  init(_ words: UnsafeBufferPointer<UnsafeRawPointer>) {
    originalIndexes = Dictionary(zip(words, words.indices), uniquingKeysWith: { first, _ in first })
    removalCounts = Array(repeating: 0, count: words.count)
  }

  /// Returns the present index of a member that was in the list.
  func index(of member: UnsafeRawPointer) -> Int? {
    guard let former = originalIndexes[member] else { return nil }
    var (count, place) = (0, former)
    while place > 0 {
      count += Int(removalCounts[place - 1])
      place &= place - 1
    }
    return former - count
  }

  /// Records that a member leaves the list.
  mutating func remove(_ member: UnsafeRawPointer) {
    guard let former = originalIndexes[member] else { return }
    var place = former + 1
    while place <= removalCounts.count {
      removalCounts[place - 1] += 1
      place += place & -place
    }
  }
}
