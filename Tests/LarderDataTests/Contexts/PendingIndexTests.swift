import LarderData
import LarderSupport
import TestSeeds
import Testing

/// The index of inserted objects finds what a look at each of them would.
@Suite struct PendingIndexTests {
  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func findsWhatALookAtEachFinds(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let kinds: [_StoredValue?] = [
      nil, .null, .integer(0), .integer(-1), .real(0), .real(-0.0), .text(""), .text("\u{e9}"), .text("e\u{301}"),
      .blob([]), .blob([0]),
    ]
    var values: [_StoredValue?] = []
    var indexes = InsertedObjectIndexes()
    var found = 0
    for _ in 0..<400 {
      for _ in 0..<Int.random(in: 0...5, using: &generator) {
        let kind = Int.random(in: 0..<20, using: &generator)
        values.append(
          kind < kinds.count ? kinds[kind] : .text("code \(Int.random(in: 0..<1_500, using: &generator))"))
      }
      if Int.random(in: 0..<100, using: &generator) == 0 { indexes.invalidate(1) }
      let wanted = values.randomElement(using: &generator) ?? nil
      let asked = wanted ?? .text("not there")
      let places = indexes.positions(of: asked, column: 0, bit: 1, count: values.count) { values[$0] }
      #expect(places == values.indices.filter { values[$0] == asked })
      found += places.count
    }
    #expect(found > 400)
  }

  @Test func readsEachObjectOnce() {
    var indexes = InsertedObjectIndexes()
    var reads = 0
    for count in 1...2_000 {
      let places = indexes.positions(of: .integer(Int64(count)), column: 0, bit: 1, count: count - 1) { place in
        reads += 1
        return .integer(Int64(place + 1))
      }
      #expect(places.isEmpty)
    }
    #expect(reads == 1_999)
  }

  /// Walks through all objects are counted for each column, whatever becomes of the others.
  @Test func walksOfAColumnEndByAnIndex() {
    var indexes = InsertedObjectIndexes()
    var answers: [Bool] = []
    for _ in 0..<9 {
      answers.append(indexes.shouldUseIndex(0, 1))
      indexes.invalidate(2)
    }
    #expect(answers == Array(repeating: false, count: 8) + [true])
    indexes.invalidate(1)
    let isLookedUp = indexes.shouldUseIndex(0, 1)
    #expect(!isLookedUp)
  }
}
