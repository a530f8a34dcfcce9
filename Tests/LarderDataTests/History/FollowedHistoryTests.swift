import Foundation
import LarderData
import SwiftData
import Testing

/// What an observer of the history counts, store by store.
@Suite struct FollowedHistoryTests {
  let folder = TestFolder()

  /// Waits until what was saved so far is counted.
  private func counted(_ container: ModelContainer) async {
    await withCheckedContinuation { done in LiveQueryExecutor.shared(for: container.core).run { _ in done.resume() } }
  }

  /// Of a store that has no history the container's saves are counted.
  @Test func aFetchIsNoEvent() async throws {
    let cabinet = Cabinet()
    let container = try cabinet.container(Crate.self)
    let observer = try HistoryObserver(modelContainer: container)
    let elsewhere = ModelContext(try cabinet.container(Crate.self))
    elsewhere.insert(Crate(number: 1))
    try elsewhere.save()
    let context = ModelContext(container)
    #expect(try context.all(Crate.self).count == 1)
    await counted(container)
    #expect(observer.eventCounter == 0)
    context.insert(Crate(number: 2))
    try context.save()
    await counted(container)
    #expect(observer.eventCounter == 1)
  }

  private func open() throws -> ModelContainer {
    try ModelContainer(
      for: Schema([Crate.self]),
      configurations: [WrappedConfiguration(wrapping: Wrapping(folder.url("crates.store")))])
  }

  @Test func aStoresOwnHistoryIsCounted() async throws {
    let elsewhere = ModelContext(try open())
    for number in 1...3 {
      elsewhere.insert(Crate(number: number))
      try elsewhere.save()
    }
    let first = try #require(try elsewhere.history().first)
    // Rows in memory have seen nothing of that.
    let container = try open()
    let fromNow = try HistoryObserver(modelContainer: container)
    let observer = try HistoryObserver(
      historyTokens: [first.storeIdentifier: first.token], modelContainer: container)
    #expect(observer.eventCounter == 2)
    let context = ModelContext(container)
    #expect(try context.all(Crate.self).count == 3)
    await counted(container)
    #expect(observer.eventCounter == 2 && fromNow.eventCounter == 0)
    context.insert(Crate(number: 4))
    try context.save()
    await counted(container)
    #expect(observer.eventCounter == 3 && fromNow.eventCounter == 1)
    // What others save is told with the fetch that finds it.
    elsewhere.insert(Crate(number: 5))
    try elsewhere.save()
    #expect(try context.all(Crate.self).count == 5)
    await counted(container)
    #expect(observer.eventCounter == 4 && fromNow.eventCounter == 2)
  }

  /// What one store cannot tell now keeps nobody from what the others do.
  @Test func aStoreThatFailsIsAloneInThat() async throws {
    let wrapping = Wrapping(folder.url("crates.store"))
    let container = try ModelContainer(
      for: Schema([Crate.self, Passport.self]),
      configurations: [
        WrappedConfiguration(wrapping: wrapping, schema: Schema([Crate.self])),
        ModelConfiguration("passports", schema: Schema([Passport.self]), url: folder.url("passports.store")),
      ])
    let observer = try HistoryObserver(modelContainer: container)
    wrapping.beforeTelling = { throw CocoaError(.fileReadUnknown) }
    let context = ModelContext(container)
    for number in 1...2 {
      context.insert(Passport(number: number, holder: "\(number)"))
      try context.save()
      await counted(container)
      #expect(observer.eventCounter == number)
    }
  }

  @Test(arguments: StoreLocation.allCases) func aStoreWithoutATokenBeginsNow(_ place: StoreLocation) async throws {
    let two = try TwoStores(place)
    let context = two.context()
    for number in 1...3 {
      context.insert(Crate(number: number))
      try context.save()
      context.insert(Sensor("\(number)"))
      try context.save()
    }
    let crates = two.store(Crate._$layout).identifier
    let sensors = two.store(Sensor._$layout).identifier
    let observer = try HistoryObserver(
      historyTokens: [crates: DefaultHistoryToken([crates: 1])], modelContainer: two.container)
    #expect(observer.eventCounter == 2)
    context.insert(Sensor("4"))
    try context.save()
    await counted(two.container)
    #expect(observer.eventCounter == 3)
    // What is gone of one store hides nothing of the other.
    try context.deleteHistory(HistoryDescriptor<Transaction>())
    context.insert(Sensor("5"))
    try context.save()
    let late = try HistoryObserver(
      historyTokens: [crates: DefaultHistoryToken([crates: 1]), sensors: DefaultHistoryToken([sensors: 4])],
      modelContainer: two.container)
    #expect(late.eventCounter == 2)
  }
}
