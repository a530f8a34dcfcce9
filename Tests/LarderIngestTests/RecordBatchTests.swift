import Testing

@testable import LarderIngest

/// How many records are worth being handed on to a writer who has nothing to do.
@Suite struct RecordBatchTests {
  @Test(arguments: [(0, 32), (32, 32), (256, 32), (800, 100), (2_048, 256), (1_000_000, 256)])
  func theMoreHaveComeTheMoreAreEnough(place: Int, count: Int) {
    var batch = RecordBatch<Int>()
    batch.records = Array(repeating: 0, count: count - 1)
    #expect(!batch.isWorthFlushing(after: place))
    batch.records.append(0)
    #expect(batch.isWorthFlushing(after: place))
  }

  @Test func largeOnesAreEnoughBeforeTheyAreMany() {
    var batch = RecordBatch<Int>()
    batch.records = [0]
    batch.byteCount = 256 << 10
    #expect(batch.isWorthFlushing(after: 1) && !batch.isFull)
    batch.byteCount = 4 << 20
    #expect(batch.isFull)
  }
}
