import Foundation
import Observation
import SwiftData
import Testing

/// The steps of SharingBetweenProcesses.md, each run.
@Suite struct ProcessArticleTests {
  @MainActor
  @Test func aFileIsShared() async throws {
    let files = try TemporaryFolder()
    let container = try ModelContainer(
      for: Quake.self, Counter.self, configurations: ModelConfiguration(url: files.file("quakes.store")))
    // snippet: strong
    let strong = try ResultsObserver<Quake, Never>(
      filterBy: #Predicate { $0.magnitude >= 6 }, modelContext: container.mainContext)
    // snippet end
    let context = ModelContext(container)
    context.author = "importer"
    let place = Location(name: "Alaska", longitude: -150.5, latitude: 61.2)
    context.insert(Quake(code: "ak0001", magnitude: 6.5, time: .now, location: place))
    try context.save()
    // snippet: strong
    for await quakes in Observations({ strong.results.map(\.code) }) {
      print(quakes)  // also when another process has saved
      if quakes.contains("ak0001") { break }
    }
    // snippet end
    #expect(strong.results.count == 1)
  }

  /// The first lines of the article, whose path is nobody's here.
  private func open() throws -> ModelContainer {
    // snippet: open
    let url = URL(filePath: "/srv/quakes.store")
    let container = try ModelContainer(for: Quake.self, configurations: ModelConfiguration(url: url))
    // snippet end
    return container
  }

  @Test func anothersWorkIsInTheHistory() throws {
    let container = try ModelContainer(
      for: Quake.self, Counter.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    context.insert(Counter())
    try context.save()
    let seen = try #require(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last).token
    // snippet: history
    let descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
      predicate: #Predicate { $0.token > seen && $0.author == "importer" })
    for transaction in try context.fetchHistory(descriptor) {
      print(transaction.processIdentifier, transaction.changes.count)
    }
    // snippet end
  }

  @Test func aCounterLosesNothing() throws {
    let container = try ModelContainer(
      for: Quake.self, Counter.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let counter = Counter()
    context.insert(counter)
    try context.save()
    let other = ModelContext(container)
    try #require(try other.fetch(FetchDescriptor<Counter>()).first).value += 1
    try other.save()
    // snippet: counter
    context.mergePolicy = .error
    counter.value += 1
    do {
      try context.save()
    } catch let error as SaveError where error.code == .mergeConflict {
      context.rollback()  // shows what is stored by now
      counter.value += 1
      try context.save()
    }
    // snippet end
    #expect(counter.value == 2)
  }
}

@Model
private final class Counter {
  var value = 0
  init() {}
}
