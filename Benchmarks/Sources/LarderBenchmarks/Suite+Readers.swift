import SwiftData
import Synchronization

// What a reader notices of a feed that is being written.

extension Suite {
  /// How many reads the idle store is asked for.
  private static let reads = 20_000

  /// One read in a hundred takes longer than this: by a unique attribute, in a store of which a tenth is there, and while
  /// the rest is written beside it.
  func readers() async throws {
    let container = try stores.container()
    let known = records.count / 10
    _ = try await container.ingestQuakes(FeedReader.direct.elements(in: feedText(known).chunks))
    let context = ModelContext(container)
    var place = 0
    func read() throws -> Double {
      place = (place + 7_919) % known
      let code = records.dtos[place].code
      let clock = ContinuousClock()
      let begin = clock.now
      let found = try context.fetch(FetchDescriptor<Quake>(predicate: #Predicate { $0.code == code }))
      let took = clock.now - begin
      try require(found.count == 1, "what is there is found")
      return Double(took.components.seconds) * 1e9 + Double(took.components.attoseconds) / 1e9
    }
    var idle: [Double] = []
    for _ in 0..<Self.reads { idle.append(try read()) }

    let isOver = Flag()
    let chunks = try feedText(records.count).chunks
    let writing = Task.detached {
      defer { isOver.value.store(true, ordering: .relaxed) }
      return try await container.ingestQuakes(FeedReader.direct.elements(in: chunks))
    }
    var beside: [Double] = []
    while !isOver.value.load(ordering: .relaxed) { beside.append(try read()) }
    let report = try await writing.value
    try require(report.inserted == records.count - known, "the rest was written")
    measurements.add(
      "a read in a hundred while a feed is written, to an idle store's", budget: Budget.readBeside, rows: 1,
      ours: beside.percentile(99), limit: idle.percentile(99))
  }
}

private final class Flag: Sendable {
  let value = Atomic(false)
}

extension [Double] {
  func percentile(_ part: Int) -> Double {
    isEmpty ? .nan : sorted()[Swift.min(count - 1, count * part / 100)]
  }
}
