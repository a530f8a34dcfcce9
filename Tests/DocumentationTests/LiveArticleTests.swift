import SwiftData
import Synchronization
import Testing

// snippet: live sections
@MainActor @Observable
final class QuakeListModel {
  private let observer: ResultsObserver<Quake, String>

  init(_ container: ModelContainer) throws {
    observer = try ResultsObserver(
      sortBy: [SortDescriptor(\.location.name), SortDescriptor(\.time, order: .reverse)],
      sectionBy: \.location.name, modelContainer: container)
  }

  /// What a page shows: the places, each with its earthquakes.
  var lines: [String] {
    observer.sections?.flatMap { section in
      [section.title] + section.map { "  \($0.code) \($0.magnitude)" }
    } ?? []
  }

  func show(above magnitude: Double) { observer.filterBy = #Predicate { $0.magnitude >= magnitude } }
}
// snippet end

// snippet: live sequence
@ModelActor
actor Monitor {
  func follow(_ report: @Sendable (String) -> Void) async throws {
    var strong = FetchDescriptor<Quake>(sortBy: [SortDescriptor(\.magnitude, order: .reverse)])
    strong.fetchLimit = 3
    for try await quakes in modelContext.liveResults(strong) {
      report(quakes.map(\.code).joined(separator: ", "))
    }
  }
}
// snippet end

/// Whether an observer has been told.
final class Told: Sendable {
  private let flag = Mutex(false)
  var isRaised: Bool { flag.withLock { $0 } }

  init(_ read: () -> Void) {
    withObservationTracking(read) { self.flag.withLock { $0 = true } }
  }
}

/// The steps of LiveQueries.md, each run.
@MainActor
@Suite struct LiveArticleTests {
  private let container: ModelContainer

  init() throws {
    container = try ModelContainer(for: Quake.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  private func save(_ code: String, _ magnitude: Double, _ place: String, by author: String? = nil) throws {
    let context = ModelContext(container)
    context.author = author
    let location = Location(name: place, longitude: 0, latitude: 0)
    context.insert(Quake(code: code, magnitude: magnitude, time: .now, location: location))
    try context.save()
  }

  private func until(_ condition: () -> Bool) async throws {
    while !condition() { try await Task.sleep(for: .milliseconds(1)) }
  }

  @Test func sectionsAreShown() async throws {
    let list = try QuakeListModel(container)
    let told = Told { _ = list.lines }
    try save("ak1", 5.5, "Alaska")
    try save("hv1", 2.5, "Hawaii")
    try await until { told.isRaised }
    #expect(list.lines == ["Alaska", "  ak1 5.5", "Hawaii", "  hv1 2.5"])
    list.show(above: 5)
    #expect(list.lines == ["Alaska", "  ak1 5.5"])
  }

  @Test func sequencesAreFollowed() async throws {
    let lines = Mutex<[String]>([])
    let monitor = Monitor(modelContainer: container)
    let task = Task { try await monitor.follow { line in lines.withLock { $0.append(line) } } }
    try await until { lines.withLock { $0 } == [""] }
    for (code, magnitude) in [("a", 1.0), ("b", 2), ("c", 3), ("d", 4)] {
      try save(code, magnitude, "Alaska")
      try await until { lines.withLock { $0.last?.hasPrefix(code) } == true }
    }
    #expect(lines.withLock { $0.last } == "d, c, b")
    task.cancel()
    try await task.value
  }

  private final class Page {
    private(set) var identifiers: [PersistentIdentifier] = []
    private(set) var redrawn = 0
    func insert(_ id: PersistentIdentifier, at place: Int) { identifiers.insert(id, at: place) }
    func remove(at place: Int) { identifiers.remove(at: place) }
    func redraw(_ ids: [PersistentIdentifier]) { redrawn += ids.count }
  }

  @Test func changesAreFollowed() async throws {
    let page = Page()
    let context = container.mainContext
    let task = Task {
      // snippet: live changes
      for try await change in context.liveChanges(FetchDescriptor<Quake>()) {
        for step in change.difference {
          switch step {
          case .insert(let place, let id, _): page.insert(id, at: place)
          case .remove(let place, _, _): page.remove(at: place)
          }
        }
        page.redraw(change.updated)
      }
      // snippet end
    }
    try save("a", 1, "Alaska")
    try save("b", 2, "Alaska")
    try await until { page.identifiers.count == 2 }
    let other = ModelContext(container)
    try other.delete(model: Quake.self, where: #Predicate { $0.code == "a" })
    for quake in try other.fetch(FetchDescriptor<Quake>()) { quake.magnitude = 9 }
    try other.save()
    try await until { page.identifiers.count == 1 && page.redrawn == 1 }
    task.cancel()
    try await task.value
  }

  @Test func transactionsAreCounted() async throws {
    let counts = Mutex<[Int]>([])
    @Sendable func readHistory(_ count: Int) { counts.withLock { $0.append(count) } }
    // snippet: live history
    let observer = try HistoryObserver(observedModels: [Quake.self], authors: ["importer"], modelContainer: container)
    let following = Task {
      for await count in Observations({ observer.eventCounter }) { readHistory(count) }
    }
    // snippet end
    try await until { counts.withLock { $0 == [0] } }
    try save("a", 1, "Alaska")
    try save("b", 1, "Alaska", by: "importer")
    try await until { observer.eventCounter == 1 && counts.withLock { $0 == [0, 1] } }
    following.cancel()
    await following.value
  }
}
