/// Where the members of a long list stood when it was walked through, and where they stand now that some have left since, which
/// takes a time that hardly grows with the list.
///
/// It holds no object, and hears of nothing but what it is told: whoever asks looks whether the member stands there.
struct PlaceIndex {
  private let places: [UnsafeRawPointer: Int]
  /// How many have left, as a Fenwick tree: the element before place n has the sum of those in the last n & -n places.
  private var left: [Int32]

  init(_ words: UnsafeBufferPointer<UnsafeRawPointer>) {
    places = Dictionary(zip(words, words.indices), uniquingKeysWith: { first, _ in first })
    left = Array(repeating: 0, count: words.count)
  }

  /// Where a member stands that was in the list.
  func place(of member: UnsafeRawPointer) -> Int? {
    guard let former = places[member] else { return nil }
    var (count, place) = (0, former)
    while place > 0 {
      count += Int(left[place - 1])
      place &= place - 1
    }
    return former - count
  }

  /// A member leaves the list.
  mutating func leave(_ member: UnsafeRawPointer) {
    guard let former = places[member] else { return }
    var place = former + 1
    while place <= left.count {
      left[place - 1] += 1
      place += place & -place
    }
  }
}
