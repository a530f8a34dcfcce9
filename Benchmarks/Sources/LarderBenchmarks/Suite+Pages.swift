import Foundation
import SwiftData

// What a list that is scrolled waits for.

extension Suite {
  /// How many pages are asked for, each of another place.
  private static let pageCount = 5_000
  private static let pageLength = 100

  /// The first hundred of a million rows from some magnitude on, filtered and sorted by an index, into objects that are read.
  ///
  /// Once, since there are enough pages for one in a hundred of them to be many.
  func pages() throws {
    guard let most, number == 1 else { return }
    let container = try stores.sortedContainer()
    let dtos = try readRecords(most)
    let report = try container.upsert(dtos, into: SortedQuake.self, by: \.code) { quake in
      quake.set(\.code) { $0.code }
      quake.set(\.magnitude) { $0.magnitude }
      quake.set(\.time) { $0.time }
      quake.set(\.place) { $0.place }
    }
    try require(report.inserted == most, "there are so many rows")
    let context = ModelContext(container)
    let clock = ContinuousClock()
    var generator = SeededGenerator(state: 100)
    var times: [Double] = []
    var bytes = 0
    for _ in 0..<Self.pageCount {
      let least = dtos[Int.random(in: 0..<most, using: &generator)].magnitude
      let began = clock.now
      var descriptor = FetchDescriptor<SortedQuake>(
        predicate: #Predicate { $0.magnitude >= least }, sortBy: [SortDescriptor(\.magnitude)])
      descriptor.fetchLimit = Self.pageLength
      let page = try context.fetch(descriptor)
      for quake in page { bytes += quake.code.utf8.count + quake.place.utf8.count }
      let took = clock.now - began
      times.append(Double(took.components.seconds) * 1e9 + Double(took.components.attoseconds) / 1e9)
      try require(page.first.map { $0.magnitude >= least } ?? false, "a page begins where it should")
    }
    try require(bytes > 0, "what was fetched is read")
    measurements.add(
      "first 100 of a million by an index, a fetch in a hundred, to 1 ms", budget: Budget.page, rows: 1,
      ours: times.percentile(99), limit: Budget.pageNanoseconds)
  }
}
