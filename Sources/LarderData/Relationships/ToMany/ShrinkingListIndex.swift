/// Where the members of a long list stood when it was walked through, and where they stand now that some have left since, which
/// takes a time that hardly grows with the list.
///
/// It holds no object, and hears of nothing but what it is told: whoever asks looks whether the member stands there.
struct ShrinkingListIndex {
  private let originalIndexes: [UnsafeRawPointer: Int]
  /// How many have left, as a Fenwick tree: the element before place n has the sum of those in the last n & -n places.
  private var removalCounts: [Int32]

  init(_ words: UnsafeBufferPointer<UnsafeRawPointer>) {
    originalIndexes = Dictionary(zip(words, words.indices), uniquingKeysWith: { first, _ in first })
    removalCounts = Array(repeating: 0, count: words.count)
  }

  /// Where a member stands that was in the list.
  func index(of member: UnsafeRawPointer) -> Int? {
    guard let former = originalIndexes[member] else { return nil }
    var (count, place) = (0, former)
    while place > 0 {
      count += Int(removalCounts[place - 1])
      place &= place - 1
    }
    return former - count
  }

  /// A member leaves the list.
  mutating func remove(_ member: UnsafeRawPointer) {
    guard let former = originalIndexes[member] else { return }
    var place = former + 1
    while place <= removalCounts.count {
      removalCounts[place - 1] += 1
      place += place & -place
    }
  }
}
