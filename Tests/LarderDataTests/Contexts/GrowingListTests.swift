import LarderSupport
import Testing

/// The list that nothing moves in, beside an array.
@Suite struct GrowingListTests {
  /// Counts how many of its kind are alive.
  private final class Counted {
    let number: Int
    private let alive: Alive
    final class Alive { var count = 0 }

    init(_ number: Int, _ alive: Alive) {
      (self.number, self.alive) = (number, alive)
      alive.count += 1
    }

    deinit { alive.count -= 1 }
  }

  @Test(arguments: [0, 1, 15, 16, 17, 47, 48, 5_000])
  func whatIsPutAtTheEndIsFoundAtItsPlace(count: Int) {
    var list = SegmentedArray<Int>()
    for number in 0..<count { list.append(number * 3) }
    #expect(list.count == count)
    for place in 0..<count { #expect(list[place] == place * 3) }
    for place in 0..<count where place % 2 == 0 { list[place] = -place }
    for place in 0..<count { #expect(list[place] == (place % 2 == 0 ? -place : place * 3)) }
  }

  @Test(arguments: [0, 16, 100, 100_000])
  func itHoldsWhatItHasAndNothingThatItGaveUp(capacity: Int) {
    let alive = Counted.Alive()
    do {
      var list = SegmentedArray<Counted>()
      for round in 1...4 {
        let count = round * 333
        for number in 0..<count { list.append(Counted(number, alive)) }
        #expect(alive.count == count)
        list[7] = Counted(70, alive)
        #expect(alive.count == count)
        #expect(list[7].number == 70)
        #expect(list[count - 1].number == count - 1)
        if round < 4 {
          list.removeAll(keepingCapacity: capacity)
          #expect(list.count == 0 && list.capacity <= capacity)
          // As much as fits is kept: with twice as many it would be too much, or more than there was.
          #expect(list.capacity * 2 + 16 > min(capacity, count))
          #expect(alive.count == 0)
        }
      }
    }
    #expect(alive.count == 0)
  }
}
