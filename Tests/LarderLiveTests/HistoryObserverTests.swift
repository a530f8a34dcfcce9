import Foundation
import LarderData
import Patience
import SwiftData
import Testing

@Suite struct HistoryObserverTests {
  private func save(_ docks: Docks, _ author: String? = nil, _ work: (ModelContext) throws -> Void) throws {
    try docks.elsewhere { context in
      context.author = author
      try work(context)
    }
  }

  @MainActor
  @Test(arguments: Storage.allCases)
  func transactionsAreCounted(_ storage: Storage) async throws {
    let docks = try Docks(storage)
    try save(docks) { $0.insert(Ship("before")) }
    let observer = try HistoryObserver(modelContainer: docks.container)
    #expect(observer.eventCounter == 0)
    let told = Told { _ = observer.eventCounter }
    try save(docks) { $0.insert(Ship("a")) }
    try await until("the save") { told.isRaised && observer.eventCounter == 1 }
    for _ in 0..<5 { try save(docks) { $0.insert(Ship("b")) } }
    try await until("five saves") { observer.eventCounter == 6 }
    // One that changes nothing is none.
    try save(docks) { _ in }
    try await settle()
    #expect(observer.eventCounter == 6)
  }

  @Test func modelsAndAuthorsAreChosen() async throws {
    let docks = try Docks()
    let observer = try HistoryObserver(
      observedModels: [Ship.self], authors: ["sync"], modelContainer: docks.container)
    #expect(observer.authors == ["sync"])
    #expect(observer.observedModels.count == 1)
    try save(docks, "sync") { $0.insert(Harbour("H")) }
    try save(docks, "user") { $0.insert(Ship("a")) }
    try save(docks) { $0.insert(Ship("b")) }
    try save(docks, "sync") { $0.insert(Ship("c")) }
    try await until("the one") { observer.eventCounter > 0 }
    try await settle()
    #expect(observer.eventCounter == 1)
  }

  @Test func tokensSayWhatIsKnown() async throws {
    let docks = try Docks()
    for name in ["a", "b", "c"] { try save(docks) { $0.insert(Ship(name)) } }
    let all = try ModelContext(docks.container).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    let store = docks.container.store.identifier
    let observer = try HistoryObserver(historyTokens: [store: all[0].token], modelContainer: docks.container)
    #expect(observer.eventCounter == 2)
    try save(docks) { $0.insert(Ship("d")) }
    try await until("the next") { observer.eventCounter == 3 }
    // What is gone counts as one.
    try ModelContext(docks.container).deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    let late = try HistoryObserver(historyTokens: [store: all[0].token], modelContainer: docks.container)
    #expect(late.eventCounter == 1)
  }

  /// A history that could not be read once is read again, though nobody saves any more.
  @Test func failuresPass() async throws {
    let docks = try Docks(.memory)
    let observer = try HistoryObserver(modelContainer: docks.container)
    try docks.execute("ALTER TABLE larder_history RENAME COLUMN author TO writer")
    try save(docks) { $0.insert(Ship("a")) }
    await docks.runnerIsDone()
    #expect(observer.eventCounter == 0)
    try docks.execute("ALTER TABLE larder_history RENAME COLUMN writer TO author")
    try await until("the save") { observer.eventCounter == 1 }
  }

  @Test func unknownModelsAreRefused() throws {
    let docks = try ModelContainer(
      for: Anchor.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    #expect(throws: SwiftDataError.unknownSchema) {
      try HistoryObserver(observedModels: [Ship.self], modelContainer: docks)
    }
  }
}

@Model
final class Anchor {
  var weight = 0
  init() {}
}
