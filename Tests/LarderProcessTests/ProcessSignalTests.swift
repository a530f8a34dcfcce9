import Foundation
import LarderData
import LarderSQLite
import Observation
import Patience
import SwiftData
import Synchronization
import Testing

/// Who is told of another process's commits, and how often.
@MainActor
@Suite struct ProcessSignalTests {
  private let shared: SharedStore
  private let here: ModelContainer
  private let there: ModelContainer

  init() throws {
    shared = try SharedStore()
    here = try shared.open()
    there = try shared.open()
    try here.work { context in
      for number in 1...3 { context.insert(Crate("c\(number)", weight: number)) }
      context.insert(Depot("north"))
    }
  }

  /// Who is alone, or only fetches, leaves nothing beside the store, and tells nobody.
  @Test func nobodyIsToldWhoDoesNotListen() throws {
    for weight in 10..<20 { try there.work { other in try other.crates()[0].weight = weight } }
    #expect(there.meeting?.sentSignalCount == 0)
    #expect(here.meeting?.handlerCallCount == 0)
    #expect(try shared.files.allSatisfy { !$0.hasSuffix(CrossProcessSignal.suffix) })
  }

  @Test func theMainContextFollowsWithoutBeingAsked() async throws {
    let crate = try here.mainContext.crates()[0]
    try there.work { other in try other.crates()[0].weight = 10 }
    try await until("the main context to follow") { crate.weight == 10 }
    #expect(here.meeting?.handlerCallCount ?? 0 > 0)
  }

  @Test func aModelActorFollowsWithoutBeingAsked() async throws {
    let storekeeper = Storekeeper(modelContainer: here)
    try await storekeeper.begin()
    try there.work { other in try other.crates()[0].weight = 10 }
    try await until("the actor to follow") { await storekeeper.weight == 10 }
  }

  /// One commit wakes those who read what it changed, of this process and of others.
  @Test func aCommitElsewhereWakesThoseWhomItConcerns() async throws {
    let context = here.mainContext
    let heavy = try ResultsObserver<Crate, Never>(filterBy: #Predicate { $0.weight > 5 }, modelContext: context)
    let named = try ResultsObserver<Crate, Never>(filterBy: #Predicate { $0.label == "c9" }, modelContext: context)
    let depots = try ResultsObserver<Depot, Never>(modelContext: context)
    #expect(heavy.results.isEmpty && named.results.isEmpty && depots.results.count == 1)
    let watches = here.store.queryObservations
    let (wakes, runs) = (watches.wakeCount, watches.runCount)
    let told = Told { _ = heavy.results }
    let toldInVain = Told { _ = (named.results, depots.results) }
    try there.work { other in try other.crates()[0].weight = 10 }
    try await until("the observer to be told") { told.isRaised }
    #expect(heavy.results.map(\.weight) == [10])
    #expect(watches.wakeCount == wakes + 1)
    #expect(watches.runCount == runs + 1)
    // By value only the same process can tell: it wakes, and notifies nobody.
    try there.work { other in try other.crates()[1].label = "c7" }
    try await until("the query to run again") { watches.runCount == runs + 2 }
    try await Task.sleep(for: .milliseconds(20))
    #expect(!toldInVain.isRaised)
    try there.work { other in try other.crates()[0].label = "c9" }
    try await until("the other to be told") { named.results.count == 1 }
  }

  /// Numbers that are set apart for rows, and the like, change nothing that anybody reads.
  @Test func bookkeepingWakesNobody() async throws {
    let observer = try ResultsObserver<Crate, Never>(modelContext: here.mainContext)
    #expect(observer.results.count == 3)
    let wakes = here.store.queryObservations.wakeCount
    for _ in 0..<3 {
      // It sets numbers apart, and gives them back when it goes.
      let third = try shared.open()
      _ = third.store.nextIdentifier()
    }
    let looks = here.meeting?.handlerCallCount ?? 0
    try await until("a look") { here.meeting?.handlerCallCount ?? 0 > looks }
    #expect(here.store.queryObservations.wakeCount == wakes)
    #expect(observer.results.count == 3)
  }

  /// What is committed here is told once.
  @Test func whatIsCommittedHereIsNotFoundAgain() async throws {
    let heavy = #Predicate<Crate> { $0.weight > 5 }
    let observer = try ResultsObserver<Crate, Never>(filterBy: heavy, modelContext: here.mainContext)
    let others = try ResultsObserver<Crate, Never>(filterBy: heavy, modelContext: there.mainContext)
    let wakes = here.store.queryObservations.wakeCount
    for weight in 10..<30 { try here.work { context in try context.crates()[0].weight = weight } }
    try await until("the other to follow") { others.results.first?.weight == 29 }
    try await Task.sleep(for: .milliseconds(50))
    #expect(here.store.queryObservations.wakeCount == wakes + 20)
    #expect(observer.results.first?.weight == 29)
  }

  @Test func theHistoryIsObservedAcrossProcesses() async throws {
    let observer = try HistoryObserver(modelContainer: here)
    try there.work { other in try other.crates()[0].weight = 10 }
    try here.work { context in try context.crates()[0].weight = 11 }
    try there.work { other in try other.crates()[0].weight = 12 }
    try await until("three transactions") { observer.eventCounter == 3 }
  }

  /// A process can be killed before it has told, and other programs never tell.
  @Test func whatNobodyToldIsFound() async throws {
    let crate = try here.mainContext.crates()[0]
    let program = try Connection(path: shared.url.path)
    try program.execute("UPDATE Crate SET weight = 30, larder_version = larder_version + 1 WHERE label = 'c1'")
    program.close()
    try await until("the timer") { crate.weight == 30 }
  }

  /// Somebody cleans up beside the store.
  @Test func aSignalThatIsTakenAwayIsMadeAnew() async throws {
    let crate = try here.mainContext.crates()[0]
    try there.work { other in try other.crates()[0].weight = 10 }
    try await until("the main context to follow") { crate.weight == 10 }
    try FileManager.default.removeItem(at: shared.signal)
    try await until("a new one") { FileManager.default.fileExists(atPath: shared.signal.path) }
    try await Task.sleep(for: .milliseconds(20))
    let tells = there.meeting?.sentSignalCount ?? 0
    try there.work { other in try other.crates()[0].weight = 11 }
    try await until("the main context to follow again") { crate.weight == 11 }
    #expect(there.meeting?.sentSignalCount == tells + 1)
  }

  @Test func aFileThatIsSomethingElseStays() async throws {
    try Data("a letter".utf8).write(to: shared.signal)
    let crate = try here.mainContext.crates()[0]
    try there.work { other in try other.crates()[0].weight = 10 }
    try await until("the timer") { crate.weight == 10 }
    #expect(try Data(contentsOf: shared.signal) == Data("a letter".utf8))
  }

  @Test func theSignalIsForThoseWhoMayUseTheStore() async throws {
    _ = try here.mainContext.crates()
    let mode = try FileManager.default.attributesOfItem(atPath: shared.signal.path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }
}

@ModelActor
actor Storekeeper {
  private var crate: Crate?
  func begin() throws { crate = try modelContext.crates().first }
  var weight: Int? { crate?.weight }
}

/// The file goes with the last who listened.
@Suite struct SignalFileTests {
  @MainActor
  @Test func theLastTakesItAway() async throws {
    let shared = try SharedStore()
    do {
      let container = try shared.open()
      _ = try container.mainContext.crates()
      #expect(FileManager.default.fileExists(atPath: shared.signal.path))
      do {
        let other = try shared.open()
        _ = try other.mainContext.crates()
      }
      #expect(FileManager.default.fileExists(atPath: shared.signal.path))
    }
    try await until("the stores to close") { try shared.files == ["shared.store"] }
  }
}
