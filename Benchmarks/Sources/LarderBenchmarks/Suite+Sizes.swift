import SwiftData

// Few records, and very many: what one of them costs is not to grow.

extension Suite {
  /// Few records take so little time that the noise is large: measured more often.
  private static let repetitionsOfFew = 5
  /// Very many take so long that it shows with few rounds what they cost.
  private static let roundsOfMost = 3

  func otherSizes() async throws {
    if let fewest = sizes.min(), fewest < records.count {
      for _ in 0..<Self.repetitionsOfFew { try await feed(fewest, records) }
    }
    if let most, number <= Self.roundsOfMost { try await feed(most, Records(readRecords(most))) }
  }

  private func feed(_ count: Int, _ records: Records) async throws {
    try await upsert(
      Self.name(Self.upsertName(.none), count), records, count, .none, stores.limit(.flat), stores.container())
    let text = try feedText(count)
    for reader in FeedReader.allCases {
      try await ingest(
        Self.name(Self.ingestName(reader, .none), count), text, reader, count, .none, stores.limit(.flat),
        stores.container())
    }
    try stores.clear()
  }

  private static func name(_ what: String, _ count: Int) -> String { "\(what), \(count)" }

  /// From the fewest records to the most that were measured.
  func growths() -> [Growth] {
    let fewest = sizes.min() ?? 0
    let loops = Self.loopCases.compactMap { what in
      Growth(
        "the loop, \(what)", from: Self.loopName(what, fewest), to: Self.loopName(what, sizes.max() ?? 0),
        budget: Budget.growth, in: measurements)
    }
    let feeds = [Self.upsertName(.none)] + FeedReader.allCases.map { Self.ingestName($0, .none) }
    return loops
      + feeds.compactMap { what in
        let most = most.map { Self.name(what, $0) } ?? what
        return Growth(
          what, from: Self.name(what, fewest), to: measurements[most] == nil ? what : most, budget: Budget.longGrowth,
          in: measurements)
      }
  }
}
