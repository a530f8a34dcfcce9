import Foundation
import LarderData
import Observation
import Patience
import SwiftData
import Testing

/// What is pending in an observer's own context, however it became so.
@MainActor
@Suite struct PendingTests {
  private let docks: Docks
  private let context: ModelContext

  init() throws {
    docks = try Docks()
    context = docks.container.mainContext
    context.autosaveEnabled = false
    try docks.elsewhere { context in
      let oslo = Harbour("Oslo", country: "NO")
      context.insert(oslo)
      context.insert(Ship("a", flag: "NO", tonnage: 5, port: oslo))
    }
  }

  private func ship() throws -> Ship { try #require(try context.fetch(ships()).first) }

  @Test func aSecondPropertyOfAnEditedObject() async throws {
    let observer = try ResultsObserver<Ship, Never>(filterBy: #Predicate { $0.tonnage > 10 }, modelContext: context)
    let ship = try ship()
    ship.notes = "x"
    #expect(observer.results.isEmpty)
    let told = Told { _ = observer.results }
    ship.tonnage = 30
    #expect(observer.results.count == 1)
    try await until("the edit") { told.isRaised }
  }

  @Test func anInsertThatDidNotMatchYet() async throws {
    let observer = try ResultsObserver<Ship, Never>(filterBy: #Predicate { $0.flag == "DK" }, modelContext: context)
    let ship = Ship("b", flag: "SE")
    context.insert(ship)
    #expect(observer.results.isEmpty)
    let told = Told { _ = observer.results }
    ship.flag = "DK"
    #expect(observer.results.count == 1)
    try await until("the edit") { told.isRaised }
  }

  @Test func aRelatedObjectThatIsEditedAgain() throws {
    let observer = try ResultsObserver<Ship, Never>(
      filterBy: #Predicate { $0.port?.country == "DK" }, modelContext: context)
    let harbour = try #require(try ship().port)
    harbour.name = "Aarhus"
    #expect(observer.results.isEmpty)
    harbour.country = "DK"
    #expect(observer.results.count == 1)
  }

  @Test func aSectionsTitleThatIsEditedAgain() throws {
    let observer = try ResultsObserver(fetchDescriptor: ships(), sectionBy: \.flag, modelContext: context)
    let ship = try ship()
    for flag in ["A", "B", "C"] {
      ship.flag = flag
      #expect(observer.sections?.map(\.title) == [flag])
    }
  }

  @Test func anInsertThatIsDeleted() async throws {
    let observer = try ResultsObserver(fetchDescriptor: ships(), modelContext: context)
    let pilots = try ResultsObserver<Pilot, Never>(modelContext: context)
    let (ship, pilot) = (Ship("b"), Pilot("p"))
    context.insert(ship)
    context.insert(pilot)
    #expect(observer.results.count == 2 && pilots.results.count == 1)
    let told = Told { _ = observer.results }
    context.delete(ship)
    context.delete(pilot)
    #expect(observer.results.count == 1 && pilots.results.isEmpty)
    try await until("the deletion") { told.isRaised }
  }

  @Test func aDeletionThatIsTakenBack() async throws {
    let observer = try ResultsObserver(fetchDescriptor: ships(), modelContext: context)
    let ship = try ship()
    context.delete(ship)
    #expect(observer.results.isEmpty)
    let told = Told { _ = observer.results }
    context.insert(ship)
    #expect(observer.results.count == 1)
    try await until("the insert") { told.isRaised }
  }

  @Test func anInsertThatMeetsARow() throws {
    let observer = try ResultsObserver<Harbour, Never>(modelContext: context)
    context.insert(Harbour("Oslo", country: "NO"))
    #expect(observer.results.count == 2)
    try context.save()
    #expect(observer.results.count == 1)
    #expect(observer.results.allSatisfy { $0.modelContext != nil })
  }

  @Test func manyPendingObjects() throws {
    let observer = try ResultsObserver<Ship, Never>(filterBy: #Predicate { $0.tonnage > 10 }, modelContext: context)
    let all = (0..<1_500).map { Ship("s\($0)") }
    for ship in all { context.insert(ship) }
    #expect(observer.results.isEmpty)
    all[0].tonnage = 50
    #expect(observer.results.count == 1)
  }

  /// Each of several observers of a context is told, whenever it was made, and whether others look or not.
  @Test func observersThatComeLaterAreTold() async throws {
    let ship = try ship()
    let unread = try ResultsObserver(fetchDescriptor: ships(), modelContext: context)
    context.insert(Ship("b"))
    let observer = try ResultsObserver<Ship, Never>(filterBy: #Predicate { $0.tonnage > 10 }, modelContext: context)
    let told = Told { _ = observer.results }
    ship.tonnage = 20
    try await until("the edit") { told.isRaised }
    withExtendedLifetime(unread) {}
  }

  /// Who is told beforehand, and edits and reads right there, is not shown what was before.
  @Test func editsOfThoseWhoAreTold() throws {
    let observer = try ResultsObserver(fetchDescriptor: ships(), modelContext: context)
    nonisolated(unsafe) let seen = observer
    nonisolated(unsafe) var isTold = false
    withObservationTracking {
      _ = observer.results
    } onChange: {
      MainActor.assumeIsolated {
        // Tracking ends when this has returned.
        if isTold { return }
        isTold = true
        seen.modelContext.insert(Ship("c"))
        #expect(seen.results.count == 3)
      }
    }
    context.insert(Ship("b"))
    #expect(observer.results.count == 3)
    #expect(observer.results.map(\.name) == ["a", "b", "c"])
  }

  @Test func whoIsToldOfAPropertyReadsResults() throws {
    let observer = try ResultsObserver<Ship, Never>(filterBy: #Predicate { $0.tonnage > 10 }, modelContext: context)
    let ship = try ship()
    nonisolated(unsafe) let seen = observer
    ship.notes = "x"
    #expect(observer.results.isEmpty)
    withObservationTracking {
      _ = ship.tonnage
    } onChange: {
      MainActor.assumeIsolated { _ = seen.results }
    }
    ship.tonnage = 30
    #expect(observer.results.count == 1)
  }
}

/// What queries of related objects find, and what stays of them.
@MainActor
@Suite struct LiveResidualTests {
  /// SQL does not look into arrays: of each ship its harbour is asked, as it is by now.
  @Test func relatedObjectsAreReadAnew() async throws {
    let docks = try Docks()
    try docks.elsewhere { context in
      let harbour = Harbour("Oslo")
      context.insert(harbour)
      context.insert(Ship("a", port: harbour))
    }
    let observer = try ResultsObserver<Ship, Never>(
      filterBy: #Predicate { $0.port?.tags.contains("deep") == true }, modelContext: docks.container.mainContext)
    for round in 0..<4 {
      let told = Told { _ = observer.results }
      try docks.elsewhere { context in
        try context.fetch(FetchDescriptor<Harbour>()).first?.tags = round.isMultiple(of: 2) ? ["deep"] : []
      }
      try await until("round \(round)") { told.isRaised }
      #expect(observer.results.count == (round.isMultiple(of: 2) ? 1 : 0))
    }
  }

  @Test func theStoreClosesAfterThem() async throws {
    weak var store: AnyObject?
    do {
      let docks = try Docks()
      try docks.elsewhere { context in
        let harbour = Harbour("Oslo")
        harbour.tags = ["deep"]
        context.insert(harbour)
        context.insert(Ship("a", port: harbour))
      }
      store = docks.container.store
      let context = ModelContext(docks.container)
      let observer = try ResultsObserver<Ship, Never>(
        filterBy: #Predicate { $0.port?.tags.contains("deep") == true }, modelContext: context)
      let runs = docks.watches.runCount
      try docks.elsewhere { try $0.fetch(ships()).first?.port?.tags = ["deep", "wide"] }
      try await until("a run") { docks.watches.runCount > runs }
      #expect(observer.results.count == 1)
    }
    try await until("the store to close") { store == nil }
  }

  private actor Watchman {
    private var observer: ResultsObserver<Ship, Never>?
    func begin(_ container: ModelContainer) throws {
      observer = try ResultsObserver(fetchDescriptor: ships(), modelContext: ModelContext(container))
    }
  }

  /// An actor may keep its observer.
  @Test func actorsGo() async throws {
    weak var watchman: Watchman?
    weak var store: AnyObject?
    do {
      let docks = try Docks()
      store = docks.container.store
      let one = Watchman()
      try await one.begin(docks.container)
      watchman = one
    }
    try await until("the actor to go") { watchman == nil }
    try await until("the store to close") { store == nil }
  }

  private final class Model: Sendable {
    @MainActor let observer: ResultsObserver<Ship, Never>
    @MainActor init(_ container: ModelContainer) throws {
      observer = try ResultsObserver(fetchDescriptor: ships(), modelContainer: container)
    }
  }

  /// The last reference may be another thread's. (Under the thread sanitizer.)
  @Test func observersGoOnAnyThread() async throws {
    let docks = try Docks()
    let context = docks.container.mainContext
    context.autosaveEnabled = false
    for round in 0..<50 {
      var model: Model? = try Model(docks.container)
      let going = Task.detached { [last = model] in withExtendedLifetime(last) {} }
      model = nil
      context.insert(Ship("s\(round)"))
      await going.value
    }
    try await until("the queries to go") { docks.watches.isEmpty }
  }

  /// That a failure is over is told.
  @Test func theEndOfAFailureIsTold() async throws {
    let docks = try Docks()
    try docks.elsewhere { $0.insert(Ship("a", tonnage: 4)) }
    let observer = try ResultsObserver<Ship, Never>(
      filterBy: #Predicate { 8 / $0.tonnage == 2 }, modelContainer: docks.container)
    let failed = Told { _ = observer.fetchError }
    try docks.elsewhere { $0.insert(Ship("b", tonnage: 0)) }
    try await until("the failure") { failed.isRaised }
    #expect(observer.fetchError is FetchError)
    let over = Told { _ = observer.fetchError }
    try docks.elsewhere { try $0.delete(model: Ship.self, where: #Predicate { $0.name == "b" }) }
    try await until("its end") { over.isRaised }
    #expect(observer.fetchError == nil)
  }

  /// What cannot be had stays refused, whatever is looked at meanwhile.
  @Test func aRefusalStays() throws {
    let docks = try Docks()
    try docks.elsewhere { $0.insert(Ship("a", tonnage: 4)) }
    let observer = try ResultsObserver(fetchDescriptor: ships(), modelContainer: docks.container)
    observer.filterBy = #Predicate { 8 / ($0.tonnage - 4) == 2 }
    #expect(observer.fetchError is FetchError)
    try docks.elsewhere { $0.insert(Ship("b", tonnage: 5)) }
    #expect(observer.results.count == 2)
    #expect(observer.fetchError is FetchError)
    observer.filterBy = nil
    #expect(observer.fetchError == nil)
  }

  @Test func aSequenceThatHasThrownIsOver() async throws {
    let docks = try Docks()
    try docks.elsewhere { $0.insert(Ship("a", tonnage: 0)) }
    let context = docks.container.mainContext
    var results = context.liveResults(ships(#Predicate { 8 / $0.tonnage == 2 })).makeAsyncIterator()
    do {
      _ = try await results.next(isolation: MainActor.shared)
      Issue.record("it has results")
    } catch is FetchError {}
    let next = try await results.next(isolation: MainActor.shared)
    #expect(next == nil)
  }
}
