import Foundation
import LarderData
import Patience
import SwiftData
import Testing

@MainActor
@Suite struct ResultsObserverTests {
  @Test(arguments: Storage.allCases)
  func whatOthersSaveArrivesByItself(_ storage: Storage) async throws {
    let docks = try Docks(storage)
    let observer = try ResultsObserver(fetchDescriptor: ships(), modelContainer: docks.container)
    #expect(observer.modelContext == docks.container.mainContext)
    var names: [String] = []
    let told = Told { names = observer.results.map(\.name) }
    #expect(names == [])
    try docks.elsewhere { context in for name in ["b", "a"] { context.insert(Ship(name)) } }
    try await until("the ships") { told.isRaised }
    #expect(observer.results.map(\.name) == ["a", "b"])
    let first = observer.results[0]

    let renamed = Told { names = observer.results.map(\.name) }
    try docks.elsewhere { try $0.fetch(ships()).first?.name = "c" }
    try await until("the new order") { renamed.isRaised }
    #expect(observer.results.map(\.name) == ["b", "c"])
    #expect(observer.results[1] === first)

    let deleted = Told { _ = observer.results.count }
    try docks.elsewhere { try $0.delete(model: Ship.self, where: #Predicate { $0.name == "c" }) }
    try await until("the deletion") { deleted.isRaised }
    #expect(observer.results.map(\.name) == ["b"])
    #expect(first.modelContext == nil)
  }

  /// Nobody has to wait: who reads sees what has been committed.
  @Test(arguments: Storage.allCases)
  func whoReadsSeesEachCommit(_ storage: Storage) throws {
    let docks = try Docks(storage)
    let observer = try ResultsObserver<Ship, Never>(
      filterBy: #Predicate { $0.tonnage > 10 }, sortBy: [SortDescriptor(\.tonnage)], modelContainer: docks.container)
    for tonnage in [5, 20, 15] { try docks.elsewhere { $0.insert(Ship("s", tonnage: tonnage)) } }
    #expect(observer.results.map(\.tonnage) == [15, 20])
    try docks.elsewhere { context in for ship in try context.fetch(ships()) { ship.tonnage += 10 } }
    #expect(observer.results.map(\.tonnage) == [15, 25, 30])
    try docks.elsewhere { try $0.delete(model: Ship.self) }
    #expect(observer.results.isEmpty)
  }

  @Test func whatIsPendingIsThereAtOnce() async throws {
    let docks = try Docks()
    let context = docks.container.mainContext
    context.autosaveEnabled = false
    let observer = try ResultsObserver<Ship, Never>(
      filterBy: #Predicate { $0.tonnage > 10 }, sortBy: [SortDescriptor(\.tonnage)], modelContext: context)
    let ship = Ship("a", tonnage: 20)
    var told = Told { _ = observer.results }
    context.insert(ship)
    #expect(observer.results.count == 1)
    try await until("the insert") { told.isRaised }
    context.rollback()
    #expect(observer.results.isEmpty)

    context.insert(Ship("b", tonnage: 5))
    try context.save()
    let small = try #require(try context.fetch(ships()).first)
    told = Told { _ = observer.results }
    small.tonnage = 30
    try await until("the edit") { told.isRaised }
    #expect(observer.results.map(\.tonnage) == [30])
    // It was pending already.
    told = Told { _ = observer.results }
    small.tonnage = 6
    try await until("the second edit") { told.isRaised }
    #expect(observer.results.isEmpty)
    told = Told { _ = observer.results }
    small.tonnage = 40
    try await until("the third edit") { told.isRaised }
    #expect(observer.results.count == 1)
    context.delete(small)
    #expect(observer.results.isEmpty)
    context.rollback()
    #expect(observer.results.isEmpty)
    #expect(small.tonnage == 5)
  }

  @Test func whatIsPendingCanBeLeftOut() throws {
    let docks = try Docks()
    let context = docks.container.mainContext
    context.autosaveEnabled = false
    var descriptor = ships()
    descriptor.includePendingChanges = false
    let observer = try ResultsObserver(fetchDescriptor: descriptor, modelContext: context)
    context.insert(Ship("a"))
    #expect(observer.results.isEmpty)
    try context.save()
    #expect(observer.results.count == 1)
  }

  /// A commit that touches nothing that is read wakes nobody, and one that leaves the answer tells nobody.
  @Test func sameAnswerIsTold() async throws {
    let docks = try Docks()
    try docks.elsewhere { context in
      context.insert(Harbour("H"))
      for number in 0..<10 { context.insert(Ship("s\(number)", tonnage: number)) }
    }
    let observer = try ResultsObserver<Ship, Never>(
      filterBy: #Predicate { $0.tonnage >= 5 }, sortBy: [SortDescriptor(\.name, comparator: .lexical)],
      modelContainer: docks.container)
    let told = Told { _ = observer.results }
    let wakes = docks.watches.wakeCount
    // Another model, and a property that the query does not read.
    try docks.elsewhere { try $0.fetch(FetchDescriptor<Harbour>()).first?.name = "I" }
    try docks.elsewhere { context in for ship in try context.fetch(ships()) { ship.notes = "x" } }
    #expect(docks.watches.wakeCount == wakes)
    let runs = docks.watches.runCount
    // What it reads, without consequence.
    try docks.elsewhere { context in
      for ship in try context.fetch(ships()) where ship.tonnage != 4 { ship.tonnage += 1 }
    }
    #expect(docks.watches.wakeCount == wakes + 1)
    try await until("the rerun") { docks.watches.runCount == runs + 1 }
    try await settle()
    #expect(!told.isRaised)
    #expect(observer.results.map(\.tonnage) == [6, 7, 8, 9, 10])
  }

  @Test func relatedModelsAreRead() async throws {
    let docks = try Docks()
    try docks.elsewhere { context in
      let harbour = Harbour("Oslo", country: "NO")
      context.insert(harbour)
      context.insert(Ship("a", port: harbour))
      context.insert(Ship("b"))
    }
    let byPort = try ResultsObserver<Ship, Never>(
      filterBy: #Predicate { $0.port?.country == "NO" }, modelContainer: docks.container)
    let byShips = try ResultsObserver<Harbour, Never>(
      filterBy: #Predicate { $0.ships.contains { $0.tonnage > 5 } }, modelContainer: docks.container)
    let ordered = try ResultsObserver<Ship, Never>(
      sortBy: [SortDescriptor(\.port?.country, comparator: .lexical), SortDescriptor(\.name, comparator: .lexical)],
      modelContainer: docks.container)
    let byPilots = try ResultsObserver<Harbour, Never>(
      filterBy: #Predicate { $0.pilots.contains { $0.name == "Nils" } }, modelContainer: docks.container)
    #expect(byPort.results.map(\.name) == ["a"])
    #expect(byShips.results.isEmpty)
    #expect(ordered.results.map(\.name) == ["b", "a"])
    #expect(byPilots.results.isEmpty)
    var told = Told { _ = byPort.results }
    try docks.elsewhere { try $0.fetch(FetchDescriptor<Harbour>()).first?.country = "SE" }
    try await until("the other country") { told.isRaised }
    #expect(byPort.results.isEmpty)
    told = Told { _ = byShips.results }
    try docks.elsewhere { context in for ship in try context.fetch(ships()) { ship.tonnage = 9 } }
    try await until("the heavier ship") { told.isRaised }
    #expect(byShips.results.count == 1)
    told = Told { _ = byShips.results }
    try docks.elsewhere { try $0.fetch(ships()).first?.port = nil }
    try await until("the departure") { told.isRaised }
    #expect(byShips.results.isEmpty)
    told = Told { _ = byPilots.results }
    try docks.elsewhere { context in
      let pilot = Pilot("Nils")
      context.insert(pilot)
      pilot.harbours = try context.fetch(FetchDescriptor<Harbour>())
    }
    try await until("the pilot") { told.isRaised }
    #expect(byPilots.results.count == 1)
    #expect(ordered.results.map(\.name) == ["a", "b"])
    told = Told { _ = ordered.results }
    try docks.elsewhere { context in
      try context.fetch(ships())[0].port = try context.fetch(FetchDescriptor<Harbour>()).first
    }
    try await until("the other order") { told.isRaised }
    #expect(ordered.results.map(\.name) == ["b", "a"])
  }

  @Test func otherQuestionsCanBeAsked() async throws {
    let docks = try Docks()
    try docks.elsewhere { context in for number in 0..<4 { context.insert(Ship("s\(number)", tonnage: number)) } }
    let observer = try ResultsObserver(fetchDescriptor: ships(), modelContainer: docks.container)
    var told = Told { _ = observer.results }
    observer.filterBy = #Predicate { $0.tonnage > 1 }
    #expect(told.isRaised)
    #expect(observer.results.map(\.name) == ["s2", "s3"])
    told = Told { _ = observer.sortBy }
    observer.sortBy = [SortDescriptor(\.tonnage, order: .reverse)]
    #expect(told.isRaised)
    #expect(observer.results.map(\.name) == ["s3", "s2"])
    #expect(observer.fetchDescriptor.sortBy.count == 1)
    told = Told { _ = observer.results }
    try docks.elsewhere { $0.insert(Ship("s9", tonnage: 9)) }
    try await until("the new ship") { told.isRaised }
    #expect(observer.results.map(\.name) == ["s9", "s3", "s2"])
    #expect(observer.debugDescription == "ResultsObserver<Ship>(3 results)")
  }

  /// What cannot be asked keeps what there is, and says why.
  @Test func failureKeepsTheResults() throws {
    let docks = try Docks()
    try docks.elsewhere { $0.insert(Ship("a", tonnage: 4)) }
    let observer = try ResultsObserver(fetchDescriptor: ships(), modelContainer: docks.container)
    let told = Told { _ = observer.fetchError }
    observer.filterBy = #Predicate { 8 / $0.tonnage == 2 && $0.name.count / ($0.tonnage - 4) == 1 }
    #expect(told.isRaised)
    #expect(observer.fetchError is FetchError)
    #expect(observer.results.map(\.name) == ["a"])
    observer.filterBy = #Predicate { 8 / $0.tonnage == 2 }
    #expect(observer.fetchError == nil)
    #expect(observer.results.count == 1)
    // A row that others save may be one that the predicate has no value for; until it is gone.
    try docks.elsewhere { $0.insert(Ship("b", tonnage: 0)) }
    #expect(observer.results.map(\.name) == ["a"])
    #expect(observer.fetchError is FetchError)
    try docks.elsewhere { try $0.delete(model: Ship.self, where: #Predicate { $0.name == "b" }) }
    #expect(observer.fetchError == nil)
    #expect(throws: FetchError.self) {
      var descriptor = ships()
      descriptor.fetchLimit = -1
      _ = try ResultsObserver(fetchDescriptor: descriptor, modelContainer: docks.container)
    }
  }

  @Test func limitsAreKept() throws {
    let docks = try Docks()
    var descriptor = ships()
    descriptor.fetchLimit = 2
    descriptor.fetchOffset = 1
    let observer = try ResultsObserver(fetchDescriptor: descriptor, modelContainer: docks.container)
    for name in ["d", "c", "b", "a"] { try docks.elsewhere { $0.insert(Ship(name)) } }
    #expect(observer.results.map(\.name) == ["b", "c"])
  }

  @Test func erasingEmptiesResults() async throws {
    let docks = try Docks()
    try docks.elsewhere { $0.insert(Ship("a")) }
    let observer = try ResultsObserver(fetchDescriptor: ships(), modelContainer: docks.container)
    #expect(observer.results.count == 1)
    let told = Told { _ = observer.results }
    try docks.container.erase()
    try await until("emptiness") { told.isRaised }
    #expect(observer.results.isEmpty)
  }

  /// What nobody holds costs nothing any more.
  @Test func observersGo() throws {
    let docks = try Docks()
    do {
      let observer = try ResultsObserver(fetchDescriptor: ships(), modelContainer: docks.container)
      #expect(observer.results.isEmpty)
      #expect(!docks.watches.isEmpty)
    }
    #expect(docks.watches.isEmpty)
  }
}

/// In an actor of a model's own, and where nobody knows how to reach the context.
@Suite struct ResultsObserverIsolationTests {
  @ModelActor
  fileprivate actor Watchman {
    private var observer: ResultsObserver<Ship, Never>?

    func begin() throws {
      observer = try ResultsObserver(fetchDescriptor: ships(), modelContext: modelContext)
    }
    func track() -> Told { Told { _ = observer?.results } }
    func names() -> [String] { observer?.results.map(\.name) ?? [] }
  }

  @Test(arguments: Storage.allCases)
  func inAModelActor(_ storage: Storage) async throws {
    let docks = try Docks(storage)
    let watchman = Watchman(modelContainer: docks.container)
    try await watchman.begin()
    let told = await watchman.track()
    try docks.elsewhere { $0.insert(Ship("a")) }
    try await until("the ship") { told.isRaised }
    #expect(await watchman.names() == ["a"])
  }

  /// Without an actor the context is brought up to date by its own fetches, and tells then.
  @Test func withoutAnActor() throws {
    let docks = try Docks()
    let context = ModelContext(docks.container)
    let observer = try ResultsObserver(fetchDescriptor: ships(), modelContext: context, isolation: nil)
    let told = Told { _ = observer.results }
    try docks.elsewhere { $0.insert(Ship("a")) }
    _ = try context.fetchCount(FetchDescriptor<Harbour>())
    #expect(told.isRaised)
    #expect(observer.results.map(\.name) == ["a"])
    let pending = Told { _ = observer.results }
    context.insert(Ship("b"))
    context.processPendingChanges()
    #expect(pending.isRaised)
    #expect(observer.results.map(\.name) == ["a", "b"])
  }
}
